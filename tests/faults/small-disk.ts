import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A disk of its own, in memory, that a test may fill. */
export interface SmallDisk {
  readonly folder: string
  /** Fills it until so many bytes are left. */
  fill(leftBytes: number): Promise<void>
  /** Takes away what `fill` wrote. */
  makeRoom(): Promise<void>
  remove(): void
}

/** Why there can be none here, or null. */
export function whyNoDisk(): string | null {
  try {
    mountDisk(1).remove()
    return null
  } catch {
    return "SKIPPED: this machine may not mount a tmpfs (needs root and CAP_SYS_ADMIN)"
  }
}

/** Mounts one of so many megabytes. Throws where that isn't allowed. */
export function mountDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "concordance-disk-"))
  chmodSync(folder, 0o755)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", folder], { stdio: "ignore" })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const ballast = join(folder, "ballast")
  return {
    folder,
    async fill(leftBytes) {
      await rm(ballast, { force: true })
      const file = await open(ballast, "w")
      const block = Buffer.alloc(2 ** 20)
      const free = () => {
        const { bavail, bsize } = statfsSync(folder)
        return bavail * bsize
      }
      try {
        while (free() > leftBytes) await file.write(block.subarray(0, Math.min(block.length, free() - leftBytes)))
      } finally {
        await file.close()
      }
    },
    makeRoom: () => rm(ballast, { force: true }),
    remove() {
      execFileSync("umount", ["-l", folder], { stdio: "ignore" })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
