import { buildModel } from "../../lib/inference/convert/build-model.ts"
import { fetchModel } from "../../lib/inference/fetch-model.ts"
import { PINNED_MODELS } from "../../lib/inference/pinned-models.ts"

// Puts the models of a profile into a folder: `weights.ts <profile> <folder>`. Run while the image is built, where a file
// of another checksum ends the build.
const [profile, folder = ""] = process.argv.slice(2)
if (!folder) throw new Error("The folder is missing: weights.ts <profile> <folder>")
if (profile === "mini") {
  await buildModel(folder)
} else if (profile === "m3") {
  for (const model of PINNED_MODELS) await fetchModel(model, folder)
} else {
  throw new Error(`INFERENCE_PROFILE must be mini or m3: no other has models of its own, and it is ${profile}`)
}
