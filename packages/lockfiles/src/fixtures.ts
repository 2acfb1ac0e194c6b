import type { Graph, Requirement, Resolution } from './graph.ts'
import { type Dependencies, type Reading, readDependencies } from './read.ts'
import type { SourceFiles } from './source.ts'

/** The reading of JavaScript files; values that are no text become JSON. */
export const javascriptOf = (files: Readonly<Record<string, unknown>>): Reading => read(files).javascript

export const composerOf = (files: Readonly<Record<string, unknown>>): Reading => read(files).composer

export const read = (files: Readonly<Record<string, unknown>>): Dependencies =>
  readDependencies(
    Object.fromEntries(
      Object.entries(files).map(([name, content]): [string, SourceFiles[string]] => [
        name,
        typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
      ]),
    ),
  )

/** `code: detail` of a reading that failed, else its status: short to compare. */
export const outcomeOf = (reading: Reading): string =>
  reading.status === 'failed' ? `${reading.code}: ${reading.detail}` : reading.status

export function graphOf(reading: Reading): Graph {
  if (reading.status !== 'read') throw new Error(`expected a graph, got ${outcomeOf(reading)}`)
  return reading.graph
}

/** A graph as sorted lines: packages, then requirements. */
export const linesOf = (graph: Graph): readonly string[] => [
  ...graph.resolutions.map(packageLine).toSorted(),
  ...graph.requirements.map(requirementLine).toSorted(),
]

function packageLine({ id, name, version, regular, development, reference, integrity }: Resolution): string {
  const scopes = [regular && 'regular', development && 'development'].filter(Boolean).join('+') || 'unreached'
  return [`${id} = ${name} ${version}`, scopes, reference && `ref ${reference}`, integrity]
    .filter(Boolean)
    .join(', ')
}

function requirementLine(one: Requirement): string {
  const words = [
    one.kind === 'peer' && 'peer',
    one.scope === 'development' && 'development',
    one.optional && 'optional',
  ]
  const label = [`${one.name}@${one.constraint}`, ...words.filter(Boolean)].join(' ')
  return `${one.source ?? 'root'} -> ${one.target ?? '?'} (${label})`
}
