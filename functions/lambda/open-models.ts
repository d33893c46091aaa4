import type { Config } from "../../lib/config.ts"
import { createLambdaService } from "../../lib/inference/lambda-service.ts"
import { openRemoteModels, serviceAt } from "../../lib/inference/open-remote.ts"
import { awsEnvironment } from "../environment.ts"
import { inferenceFunction } from "./resources.ts"

/** The models that this function calls: those of the inference Lambda, of a service of one's own, or of an endpoint. */
export function openModels(config: Config) {
  const functionName = inferenceFunction()
  const ours = functionName ? createLambdaService({ functionName, ...awsEnvironment() }) : null
  const service =
    config.embedServiceUrl === undefined ? ours : serviceAt(config.embedServiceUrl, config.embedServiceApiKey)
  return openRemoteModels({ ...config, home: config.concordanceHome }, service)
}
