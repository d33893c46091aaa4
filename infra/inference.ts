import { createLogGroup, keepWarm, LAMBDA_ALONE, mayWriteTo } from "./create-lambda.ts"
import { embeddingApiKey, embedServiceApiKey } from "./secrets.ts"
import { stage, telemetryEnvironment } from "./stage.ts"

/** MB. Both models of `m3` take 1.9 GB (`bench m3-shape`); the rest is for cores, of which 1,769 MB are one. */
const MEMORY_MB = { m3: 6_144, mini: 2_048 }

/** The models' Lambda, where there is one, and how callers are linked to it. */
const ours =
  stage.inferenceProfile === "openai" || stage.usesEmbedService ? null : createInference(stage.inferenceProfile)
export const inference = ours?.lambda

/** Name of the models' Lambda, and the right to call it; of models that run elsewhere the keys. */
export const inferenceLinks = [
  ...(ours ? [ours.link] : []),
  ...(stage.inferenceProfile === "openai" ? [embeddingApiKey] : []),
  ...(stage.usesEmbedService ? [embedServiceApiKey] : []),
]

/** SST builds images for Python alone, so this one is made of its parts. */
function createInference(profile: keyof typeof MEMORY_MB) {
  const logGroup = createLogGroup("Inference")
  const logs = mayWriteTo(logGroup)
  const role = new aws.iam.Role("InferenceRole", {
    assumeRolePolicy: LAMBDA_ALONE,
    inlinePolicies: [{ name: "logs", policy: aws.iam.getPolicyDocumentOutput({ statements: [logs] }).json }],
  })
  const lambda = new aws.lambda.Function("Inference", {
    packageType: "Image",
    // Lambda refuses a tag beside the digest.
    imageUri: createImage(profile).ref.apply((ref) => ref.replace(/:latest(?=@)/, "")),
    role: role.arn,
    architectures: ["arm64"],
    memorySize: MEMORY_MB[profile],
    timeout: 60,
    loggingConfig: { logFormat: "Text", logGroup: logGroup.name },
    environment: { variables: { INFERENCE_PROFILE: profile, ...telemetryEnvironment } },
    ...(stage.inferenceMax && { reservedConcurrentExecutions: stage.inferenceMax }),
    publish: stage.inferenceProvisioned > 0,
  })
  const { functionName, arn } = calledOf(lambda)
  const link = new sst.Linkable("Inference", {
    properties: { functionName },
    include: [sst.aws.permission({ actions: ["lambda:InvokeFunction"], resources: [arn] })],
  })
  return { lambda, link }
}

/** What callers name, and are allowed to invoke: the function, or its alias of which some instances are loaded. */
function calledOf({ name: functionName, arn, version }: aws.lambda.Function) {
  if (stage.inferenceProvisioned === 0) return { functionName, arn }
  const alias = keepWarm("Inference", { functionName, functionVersion: version }, stage.inferenceProvisioned)
  return { functionName: $interpolate`${functionName}:${alias.name}`, arn: alias.arn }
}

function createImage(profile: string): dockerbuild.Image {
  const repository = new aws.ecr.Repository("InferenceImages", {
    forceDelete: !stage.isProduction,
    imageScanningConfiguration: { scanOnPush: true },
  })
  new aws.ecr.LifecyclePolicy("InferenceImagesKept", {
    repository: repository.name,
    policy: JSON.stringify({
      rules: [
        {
          rulePriority: 1,
          description: "The image in use and the one before: each is over a gigabyte",
          selection: { tagStatus: "any", countType: "imageCountMoreThan", countNumber: 2 },
          action: { type: "expire" },
        },
      ],
    }),
  })
  const login = aws.ecr.getAuthorizationTokenOutput({ registryId: repository.registryId })
  return new dockerbuild.Image("InferenceImage", {
    tags: [$interpolate`${repository.repositoryUrl}:latest`],
    context: { location: "." },
    dockerfile: { location: "functions/inference/Dockerfile" },
    buildArgs: { INFERENCE_PROFILE: profile },
    platforms: ["linux/arm64"],
    push: true,
    registries: [{ address: login.proxyEndpoint, username: login.userName, password: login.password }],
  })
}
