import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
import { contextBuilder } from "./context-builder.ts"
import { generator } from "./generator.ts"
import type { GraphNode, GraphRun } from "./graph-run.ts"
import { incrementRetry } from "./increment-retry.ts"
import { incrementRetryForRetrieval } from "./increment-retry-for-retrieval.ts"
import { relevanceGrader } from "./relevance-grader.ts"
import { retrievalDecision } from "./retrieval-decision.ts"
import { retrieve } from "./retrieve.ts"
import { afterDecision, afterGenerator, afterRelevance, afterSupport, afterUsefulness, ROUTES } from "./routes.ts"
import { runNode } from "./run-node.ts"
import { type AnswerState, startOf } from "./state.ts"
import { supportGrader } from "./support-grader.ts"
import { usefulnessGrader } from "./usefulness-grader.ts"

/** More steps than the retries allow: counters of our own end the graph, this is for the case of a wrong route. */
const STEPS_MAX = 100

/** The compiled graph. */
export interface AnswerGraph {
  /** Runs it to its end. Throws what a node throws. */
  run(question: string, run: GraphRun): Promise<AnswerState>
  /** The graph as a Mermaid flowchart. */
  mermaid(): Promise<string>
}

/** This module alone imports LangGraph: 100 to 160 ms that only answers pay. */
export function compileAnswerGraph(): AnswerGraph {
  const graph = new StateGraph(channels())
    .addNode("retrieval_decision", node("retrieval_decision", retrievalDecision))
    .addNode("retrieve", node("retrieve", retrieve))
    .addNode("relevance_grader", node("relevance_grader", relevanceGrader))
    .addNode("context_builder", node("context_builder", contextBuilder))
    .addNode("generator", node("generator", generator))
    .addNode("support_grader", node("support_grader", supportGrader))
    .addNode("usefulness_grader", node("usefulness_grader", usefulnessGrader))
    .addNode("increment_retry", node("increment_retry", incrementRetry))
    .addNode("increment_retry_for_retrieval", node("increment_retry_for_retrieval", incrementRetryForRetrieval))
    .addEdge(START, "retrieval_decision")
    .addConditionalEdges("retrieval_decision", by(afterDecision), pathsOf("retrieval_decision"))
    .addEdge("retrieve", "relevance_grader")
    .addConditionalEdges("relevance_grader", by(afterRelevance), pathsOf("relevance_grader"))
    .addEdge("context_builder", "generator")
    .addConditionalEdges("generator", by(afterGenerator), pathsOf("generator"))
    .addConditionalEdges("support_grader", by(afterSupport), pathsOf("support_grader"))
    .addEdge("increment_retry", "generator")
    .addConditionalEdges("usefulness_grader", by(afterUsefulness), pathsOf("usefulness_grader"))
    .addEdge("increment_retry_for_retrieval", "retrieve")
    .compile()
  return {
    // Nodes heed the deadline themselves: LangGraph's own `signal` would leave them running.
    run: (question, run) =>
      graph.invoke(startOf(question), { recursionLimit: STEPS_MAX, configurable: { run } }) as Promise<AnswerState>,
    mermaid: async () => (await graph.getGraphAsync()).drawMermaid({ withStyles: false }),
  }
}

interface NodeConfig {
  readonly configurable?: Readonly<Record<string, unknown>>
}

const runOf = ({ configurable }: NodeConfig): GraphRun => configurable?.["run"] as GraphRun

const node = (name: string, work: GraphNode) => (state: AnswerState, config: NodeConfig) =>
  runNode(name, work, state, runOf(config))

const by =
  <To extends string>(route: (state: AnswerState, run: GraphRun) => To) =>
  (state: AnswerState, config: NodeConfig): To =>
    route(state, runOf(config))

/** Where a route's words lead: without this LangGraph would draw an edge to every node. */
function pathsOf<Node extends keyof typeof ROUTES>(from: Node) {
  type To = (typeof ROUTES)[Node][number]
  const paths = ROUTES[from].map((to) => [to, to === "end" ? END : to] as const)
  return Object.fromEntries(paths) as Record<To, Exclude<To, "end"> | typeof END>
}

/** One channel a key, each the value that was written last. */
function channels() {
  return Annotation.Root({
    question: Annotation<AnswerState["question"]>(),
    query: Annotation<AnswerState["query"]>(),
    searches: Annotation<AnswerState["searches"]>(),
    unjudged: Annotation<AnswerState["unjudged"]>(),
    relevant: Annotation<AnswerState["relevant"]>(),
    irrelevant: Annotation<AnswerState["irrelevant"]>(),
    sources: Annotation<AnswerState["sources"]>(),
    context: Annotation<AnswerState["context"]>(),
    draft: Annotation<AnswerState["draft"]>(),
    draftSources: Annotation<AnswerState["draftSources"]>(),
    isCutShort: Annotation<AnswerState["isCutShort"]>(),
    sentenceSupport: Annotation<AnswerState["sentenceSupport"]>(),
    wholeSupport: Annotation<AnswerState["wholeSupport"]>(),
    isUseful: Annotation<AnswerState["isUseful"]>(),
    searchCount: Annotation<AnswerState["searchCount"]>(),
    retryCount: Annotation<AnswerState["retryCount"]>(),
  })
}
