import type { Graph } from './graph.ts'
import type { Manifest } from './manifest.ts'

/** What a reader of a JavaScript lock gets: the parsed manifest beside the text of the lock. */
export interface JsSource {
  readonly manifest: Manifest
  readonly lockFile: string
  readonly lockText: string
}

export interface Read {
  /** Manager and version of the lock format, such as `npm-3`. */
  readonly format: string
  readonly graph: Graph
}
