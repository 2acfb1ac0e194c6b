import { type Origin, refuse } from './failure.ts'
import type { Ecosystem, Graph, Requirement, Resolution, Scope } from './graph.ts'
import { LIMITS } from './limits.ts'

export type Package = Omit<Resolution, 'regular' | 'development'>

/** Collects a graph within its bounds; `finish` computes what the root reaches. */
export interface GraphBuilder {
  add(one: Package): void
  require(one: Requirement): void
  finish(options?: FinishOptions): Graph
}

interface FinishOptions {
  /** A scope that the lock itself gives a package, beside those that are reached. */
  readonly scopeOf?: (id: string) => Scope | undefined
  /** Whether a requirement brings its target in; by default each does. */
  readonly installs?: (one: Requirement) => boolean
}

export function makeGraphBuilder(ecosystem: Ecosystem, origin: Origin): GraphBuilder {
  const packages = new Map<string, Package>()
  const requirements: Requirement[] = []
  return {
    add(one) {
      if (packages.has(one.id)) refuse(origin, 'duplicate_package')
      if (packages.size === LIMITS.resolutions) refuse(origin, 'too_many_packages')
      packages.set(one.id, one)
    },
    require(one) {
      if (requirements.length === LIMITS.requirements) refuse(origin, 'too_many_requirements')
      const constraint = withoutCredentials(one.constraint) || '*'
      requirements.push(constraint === one.constraint ? one : { ...one, constraint })
    },
    finish({ scopeOf = () => undefined, installs = () => true } = {}) {
      const reached = reach(requirements, installs)
      const has = (id: string, scope: Scope): boolean => reached[scope].has(id) || scopeOf(id) === scope
      return {
        ecosystem,
        requirements,
        resolutions: [...packages.values()].map((one) => ({
          ...one,
          regular: has(one.id, 'regular'),
          development: has(one.id, 'development'),
        })),
      }
    },
  }
}

/** What a project declares may be an address with a credential, which no inventory needs. */
const withoutCredentials = (constraint: string): string =>
  constraint.includes('://')
    ? constraint.replaceAll(/\/\/(?!git@)[^/@]*@/g, '//').replaceAll(/\?[^#]*/g, '')
    : constraint

/** Ids that the root reaches through requirements of each scope. */
function reach(
  requirements: readonly Requirement[],
  installs: (one: Requirement) => boolean,
): Readonly<Record<Scope, ReadonlySet<string>>> {
  const targets = new Map<string, string[]>()
  const starts: Record<Scope, string[]> = { regular: [], development: [] }
  for (const one of requirements) {
    const { source, target, scope } = one
    if (target === undefined || !installs(one)) continue
    const known = source === undefined ? starts[scope] : targets.get(source)
    if (known) known.push(target)
    else if (source !== undefined) targets.set(source, [target])
  }
  return { regular: spread(starts.regular, targets), development: spread(starts.development, targets) }
}

function spread(
  starts: readonly string[],
  targets: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const seen = new Set(starts)
  // A set is walked in the order of its entries, also those that are added on the way.
  for (const id of seen) for (const target of targets.get(id) ?? []) seen.add(target)
  return seen
}
