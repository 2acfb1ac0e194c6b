import type { Graph, Requirement, Resolution } from '@fleet/lockfiles'

/** What can be compared whatever the manager: sorted, each line once. */
export interface Agreement {
  /** `name@version` of every package. */
  readonly packages: readonly string[]
  /** Of every package that regular requirements reach. */
  readonly regular: readonly string[]
  /** Of every package that requirements of development reach. */
  readonly development: readonly string[]
  /** `package > name: package` of every requirement that is satisfied. */
  readonly edges: readonly string[]
}

export const sorted = (lines: Iterable<string>): readonly string[] => [...new Set(lines)].toSorted()

/** What the reader found, in the same terms. */
export function agreementOf(graph: Graph): Agreement {
  const byId = new Map(graph.resolutions.map((one) => [one.id, one]))
  const label = (id: string | undefined): string => {
    const found = id === undefined ? undefined : byId.get(id)
    return found === undefined ? 'root' : labelOf(found)
  }
  return {
    packages: sorted(graph.resolutions.map(labelOf)),
    regular: sorted(graph.resolutions.filter(({ regular }) => regular).map(labelOf)),
    development: sorted(graph.resolutions.filter(({ development }) => development).map(labelOf)),
    edges: sorted(
      graph.requirements
        .filter(({ target }) => target !== undefined)
        .map(({ source, name, target }) => `${label(source)} > ${name}: ${label(target)}`),
    ),
  }
}

const labelOf = ({ name, version }: Resolution): string => `${name}@${version}`

/** Every requirement that is satisfied, as `bun why` prints it. */
export function edgesAsByBun({ resolutions, requirements }: Graph): readonly string[] {
  const byId = new Map(resolutions.map((one) => [one.id, one]))
  const satisfied = requirements.filter(({ target }) => target !== undefined)
  return sorted(satisfied.map((edge) => requiredAsByBun(byId, edge)))
}

/** Kind and scope before the words, and the name where it is an alias. */
function requiredAsByBun(byId: ReadonlyMap<string, Resolution>, edge: Requirement): string {
  const { source, target, name, constraint, kind, scope, optional } = edge
  const [from, to] = [source, target].map((id) => byId.get(id ?? ''))
  const how = [optional && 'optional ', kind === 'peer' && 'peer ', scope === 'development' && 'dev ']
  const alias = name === to?.name ? '' : `${name}@`
  const label = from ? labelOf(from) : 'project'
  return `${label} > ${how.filter(Boolean).join('')}${alias}${constraint}: ${to?.name}@${to?.version}`
}
