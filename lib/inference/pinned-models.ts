/** A file of a model, and what its bytes must be. */
export interface PinnedFile {
  /** Within the repository, and within the folder it is kept in. */
  readonly path: string
  readonly bytes: number
  /** SHA-256, hex. */
  readonly sha256: string
}

/** A model on Hugging Face at one revision, with the files of it that are used here. */
export interface PinnedModel {
  /** `owner/name` on the hub. */
  readonly repository: string
  /** A commit, which never changes; a branch would. */
  readonly revision: string
  readonly files: readonly PinnedFile[]
}

/**
 * The models of the profile `m3`, in int8. The sums were not made here, where the hub can't be reached: they are those
 * that several public repositories pin for these revisions, and agree on (looked up on 2026-11-30). One that is wrong
 * ends the fetch; it can't let another file in.
 */
export const PINNED_MODELS: readonly PinnedModel[] = [
  {
    repository: "Xenova/bge-m3",
    revision: "4de13258303883538bd53b696b452bf8099f0858",
    files: [
      {
        path: "config.json",
        bytes: 770,
        sha256: "734a79bf12d388c1467a4e3ab625f45de7f6906cffcfb93a1eca1787504bed95",
      },
      {
        path: "tokenizer.json",
        bytes: 17_082_821,
        sha256: "6710678b12670bc442b99edc952c4d996ae309a7020c1fa0096dd245c2faf790",
      },
      {
        path: "tokenizer_config.json",
        bytes: 1_173,
        sha256: "7e4c1cc848840aeccdd763458c18dd525eb0f795c992e00ebe9c28554e7db2d4",
      },
      {
        path: "onnx/model_quantized.onnx",
        bytes: 569_694_530,
        sha256: "0826f8c1ab9edf1801db86c61919d4d108e8bfc0b809ec823ad366882ff0b77d",
      },
    ],
  },
  {
    repository: "onnx-community/bge-reranker-v2-m3-ONNX",
    revision: "6f5ff65298512715a1e669753bc754d2bc8f367b",
    files: [
      {
        path: "config.json",
        bytes: 848,
        sha256: "122e922dcfed6503c8721e6fe1daf090340c3d95ca7f3aa3a72730b321a51cfd",
      },
      {
        path: "tokenizer.json",
        bytes: 17_082_900,
        sha256: "8bf8afbfd11306bd872018c53bfdf2e160a56f8edbcf49933324404791c148d3",
      },
      {
        path: "tokenizer_config.json",
        bytes: 1_203,
        sha256: "b87c8703482b0300d3da30e201519aa641f6a450f5eb5bf1e624afbf70c74d80",
      },
      {
        path: "onnx/model_quantized.onnx",
        bytes: 570_727_094,
        sha256: "912fc1215c2dbff6499700534bd8d31253af01573861abbfc43afd1fab6cce5d",
      },
    ],
  },
]
