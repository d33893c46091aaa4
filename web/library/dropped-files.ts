/** What systems leave in folders beside documents. */
const HIDDEN = /^\.|^(Thumbs\.db|desktop\.ini)$/i

/** True of a drag that brings files, not text or a link of this page. */
export function bringsFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes("Files") ?? false
}

/** The files that were dropped, those inside of folders too. */
export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // Entries have to be taken before the first wait: after it the list is empty.
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  if (entries.length === 0) return [...transfer.files]
  const files = await Promise.all(entries.map(filesOf))
  return files.flat()
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (HIDDEN.test(entry.name)) return []
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: File[] = []
  // A reader gives a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return files
    for (const one of some) files.push(...(await filesOf(one)))
  }
}
