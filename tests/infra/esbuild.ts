/** What is used of the esbuild that SST brings along; it is not a package of this project. */
export interface Esbuild {
  build(options: Readonly<Record<string, unknown>>): Promise<{ readonly metafile?: Metafile }>
}

interface Metafile {
  readonly outputs: Readonly<Record<string, BundleOutput>>
}

interface BundleOutput {
  readonly bytes: number
  readonly exports: readonly string[]
  readonly entryPoint?: string
}

export interface PluginBuild {
  onLoad(
    options: { readonly filter: RegExp },
    load: (file: { readonly path: string }) => { contents: string; loader: "ts" } | undefined,
  ): void
}
