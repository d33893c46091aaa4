import { afterAll, describe, expect, test } from "vitest"
import { openPglite } from "../../lib/database/pglite.ts"
import { faultsAt } from "./faultless.ts"
import { openCluster, whyNoCluster } from "./private-cluster.ts"
import { ask, form, makeHome, removeFolder, startServer, WITHOUT_MODELS } from "./server-process.ts"
import { mountDisk, whyNoDisk } from "./small-disk.ts"

const MB = 2 ** 20
const noDisk = whyNoDisk()
const noCluster = noDisk ?? whyNoCluster()
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const documentOf = (id: string) => ({ id, content: `The harbour master writes ${id} into the register.` })

describe.skipIf(noDisk !== null)(`a full disk under the embedded home ${noDisk ?? ""}`, () => {
  test("is told as that, leaves reading alone, and takes nothing that was acknowledged; with room again, writes go on", async () => {
    const disk = mountDisk(480)
    closing.push(() => disk.remove())
    const home = await makeHome(disk.folder)
    let server = await startServer({ ...WITHOUT_MODELS, CONCORDANCE_HOME: home })
    closing.push(() => server.kill())
    const index = (id: string) => ask(server.url, "/index", documentOf(id))
    const find = async () => {
      const found = await ask(server.url, "/search", { query: "harbour master", top_k: 50 })
      return { status: found.status, count: found.body["count"] }
    }
    for (const id of ["a", "b", "c"]) expect((await index(id)).status).toBe(201)

    await disk.fill(100 * MB)
    const refused = await index("d")
    expect(refused).toMatchObject({ status: 507, code: "storage_full" })
    expect(refused.body["detail"]).toMatch(/disk of CONCORDANCE_HOME is full.*free space/s)
    expect(await find()).toEqual({ status: 200, count: 3 })

    await disk.fill(0)
    const text = "A harbour. ".repeat(40_000)
    expect(await ask(server.url, "/documents", form("upload", text))).toMatchObject({
      status: 507,
      code: "storage_full",
    })
    expect(await index("e")).toMatchObject({ status: 507, code: "storage_full" })
    expect(await find()).toEqual({ status: 200, count: 3 })
    expect((await ask(server.url, "/health")).status).toBe(200)

    await disk.makeRoom()
    expect((await index("d")).status).toBe(201)
    expect((await ask(server.url, "/documents", form("upload", "A harbour of its own."))).status).toBe(202)
    await expect
      .poll(async () => (await ask(server.url, "/documents/upload")).body["status"], { timeout: 60_000 })
      .toBe("ready")

    // A restart on a disk that is nearly full serves what is there.
    await server.kill()
    await disk.fill(100 * MB)
    server = await startServer({ ...WITHOUT_MODELS, CONCORDANCE_HOME: home })
    expect(await find()).toMatchObject({ status: 200, count: 5 })
    expect(await index("f")).toMatchObject({ status: 507 })
    await server.kill()
    await disk.fill(8 * MB)
    await expect(startServer({ ...WITHOUT_MODELS, CONCORDANCE_HOME: home })).rejects.toThrow(
      /disk of CONCORDANCE_HOME is full/,
    )

    await disk.makeRoom()
    const { database, owner } = await openPglite({ home })
    const query = (text: string) => owner.session((session) => session.query(text))
    expect(
      await query(
        "select id from concordance.documents where status = 'ready' and source_account_id = 'primary' order by id",
      ),
    ).toEqual(["a", "b", "c", "d", "upload"].map((id) => ({ id })))
    await database.close()
    expect(await faultsAt({ home })).toEqual({})
  })
})

describe.skipIf(noCluster !== null)(`a full disk under a PostgreSQL server ${noCluster ?? ""}`, () => {
  test("is told as that, leaves reading alone, and takes nothing that was acknowledged; with room again, writes go on", async () => {
    const disk = mountDisk(260)
    closing.push(() => disk.remove())
    const cluster = await openCluster(disk.folder)
    closing.push(() => cluster.remove())
    const home = await makeHome(undefined, { isMigrated: false })
    closing.push(() => removeFolder(home))
    const server = await startServer({
      ...WITHOUT_MODELS,
      CONCORDANCE_HOME: home,
      DATABASE_URL: cluster.url,
      CONCORDANCE_SERVE_WITHOUT_KEYS: "true",
    })
    closing.push(() => server.kill())
    const acknowledged: string[] = []
    const index = async (id: string) => {
      const answer = await ask(server.url, "/index", documentOf(id))
      if (answer.status === 201) acknowledged.push(id)
      return answer
    }
    for (const id of ["a", "b"]) expect((await index(id)).status).toBe(201)
    await disk.fill(0)
    let refused = await index("c0")
    for (let i = 1; i < 200 && refused.status === 201; i++) refused = await index(`c${i}`)
    expect(refused).toMatchObject({ status: 507, code: "storage_full" })
    expect(refused.body["detail"]).toMatch(/disk of the database server is full/)
    expect((await ask(server.url, "/search", { query: "harbour master" })).status).toBe(200)
    await disk.makeRoom()
    await expect.poll(async () => (await index("later")).status, { timeout: 30_000 }).toBe(201)
    const rows = await cluster.query("select id from concordance.documents where status = 'ready'")
    expect(acknowledged.filter((id) => !rows.some((row) => row["id"] === id))).toEqual([])
    expect(await faultsAt({ home, url: cluster.url })).toEqual({})
  })
})
