/** How the list by meaning and the list by words become one: `lib/search/fuse.ts`. */
export const STRATEGIES = ["rrf", "weighted", "semantic", "lexical", "two_pass"] as const
