import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { DependencyRequirement, DependencyResolution } from '@fleet/contract'
import type { Graph, Requirement } from '@fleet/lockfiles'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** What a database row holds of a graph beside the packages: ids by position, and requirements that name positions. */
interface Packed {
  readonly ids: readonly string[]
  readonly requirements: readonly PackedRequirement[]
}

/** Source and target by position, or -1 for the root and for nothing; then name, constraint and flags. */
type PackedRequirement = readonly [
  source: number,
  target: number,
  name: string,
  constraint: string,
  flags: number,
]

const PEER = 1
const DEVELOPMENT = 2
const OPTIONAL = 4
const NONE = -1

/** Bounds what a stored graph may become: 200,000 requirements of 16 KiB never come near it in a lock of 8 MiB. */
const MAX_BYTES = 128 * 1024 * 1024

/** The same for two graphs exactly when they are the same. */
export const graphDigest = (graph: Graph): string =>
  createHash('sha256').update(JSON.stringify(graph)).digest('base64url')

/** The ids and requirements of a graph as text for its row. */
export async function packGraph({ resolutions, requirements }: Graph): Promise<string> {
  const ids = resolutions.map(({ id }) => id)
  const positions = new Map(ids.map((id, position) => [id, position]))
  const at = (id: string | undefined): number => (id === undefined ? NONE : (positions.get(id) ?? NONE))
  const packed: Packed = {
    ids,
    requirements: requirements.map((one) => [
      at(one.source),
      at(one.target),
      one.name,
      one.constraint,
      flagsOf(one),
    ]),
  }
  return (await compress(JSON.stringify(packed))).toString('base64')
}

const flagsOf = ({ kind, scope, optional }: Requirement): number =>
  (kind === 'peer' ? PEER : 0) + (scope === 'development' ? DEVELOPMENT : 0) + (optional ? OPTIONAL : 0)

/** A resolution as the rows have it, without its id. */
export type StoredResolution = Omit<DependencyResolution, 'id'>

/** The graph of a row with its resolutions by position; undefined where they are not those of this graph. */
export async function unpackGraph(
  text: string,
  resolutions: readonly StoredResolution[],
): Promise<{ resolutions: DependencyResolution[]; requirements: DependencyRequirement[] } | undefined> {
  const json = await decompress(Buffer.from(text, 'base64'), { maxOutputLength: MAX_BYTES })
  const { ids, requirements } = JSON.parse(json.toString('utf8')) as Packed // Written by packGraph alone.
  if (ids.length !== resolutions.length) return undefined
  const idAt = (position: number): string | null => ids[position] ?? null
  return {
    resolutions: resolutions.map((one, position) => ({ id: ids[position] ?? '', ...one })),
    requirements: requirements.map(([source, target, name, constraint, flags]) => ({
      source: idAt(source),
      target: idAt(target),
      name,
      constraint,
      kind: flags & PEER ? 'peer' : 'dependency',
      scope: flags & DEVELOPMENT ? 'development' : 'regular',
      optional: (flags & OPTIONAL) !== 0,
    })),
  }
}
