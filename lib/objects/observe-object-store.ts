import { stage } from "../activity.ts"
import type { ObjectStore } from "./object-store.ts"

/** The same store, whose calls are traced: which call, never which key. Listings, which go on for as long as they are read, are not. */
export function observeObjectStore(store: ObjectStore): ObjectStore {
  const observed = <Arguments extends unknown[], T>(
    operation: string,
    call: (...given: Arguments) => Promise<T>,
  ): ((...given: Arguments) => Promise<T>) => {
    const attributes = { "concordance.object.operation": operation }
    return (...given) => stage("objects", () => call(...given), { kind: "client", attributes })
  }
  return {
    ...store,
    put: observed("put", store.put),
    putFile: observed("put", store.putFile),
    getFile: observed("get", store.getFile),
    get: observed("get", store.get),
    head: observed("head", store.head),
    delete: observed("delete", store.delete),
  }
}
