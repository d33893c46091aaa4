// Puts SST's components and the providers' packages under .sst/, from the npm registry alone: no AWS account, no Pulumi,
// no bun. 50 s the first time, 3 s after (2 cores). The versions are those of sst.config.ts.
import { spawnSync } from "node:child_process"

const { status } = spawnSync("npx", ["--no", "sst", "install", "--stage", "check"], {
  stdio: "inherit",
  env: {
    ...process.env,
    SST_SKIP_DEPENDENCY_CHECK: "1",
    SST_NO_BUN: "1",
    SST_TELEMETRY_DISABLED: "1",
    AWS_EC2_METADATA_DISABLED: "true",
    // So that Neon's types are there to check against, whether or not this machine deploys to Neon.
    NEON_API_KEY: "types",
    // The package @sst-provider/neon 0.13.0 names an install script that it doesn't contain.
    npm_config_ignore_scripts: "true",
    // Versions are pinned: what npm has, it need not ask for again.
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
  },
})
process.exit(status ?? 1)
