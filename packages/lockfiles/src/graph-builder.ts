import { type Origin, refuse } from './failure.ts'
import type { Ecosystem, Graph, Requirement, Resolution, Scope } from './graph.ts'
import { LIMITS } from './limits.ts'
import type { Declared } from './manifest.ts'

export type Package = Omit<Resolution, 'regular' | 'development'>

/** A package of a graph that is being built. Its scopes are known when the graph is finished. */
export interface Member {
  readonly resolution: Package & { regular: boolean; development: boolean }
  /** A scope that the lock itself gives the package, beside those that are reached. */
  readonly scope: Scope | undefined
  /** Its requirements, by their positions from the first to before the last; they follow each other. */
  first: number
  last: number
}

/** A requirement whose ends are not known yet. */
export type OpenRequirement = { -readonly [Key in keyof Requirement]: Requirement[Key] }

export const openRequirement = (
  name: string,
  constraint: string,
  kind: Requirement['kind'],
  scope: Scope,
  optional: boolean,
): OpenRequirement => ({
  source: undefined,
  target: undefined,
  name,
  constraint,
  kind,
  scope,
  optional,
})

/** What the root declares stays as it is. */
export const openDeclared = ({ name, constraint, kind, scope, optional }: Declared): OpenRequirement =>
  openRequirement(name, constraint, kind, scope, optional)

/** Collects a graph of packages with ids that differ, within its bounds; `finish` computes what the root reaches. */
export interface GraphBuilder {
  add(one: Member): void
  /**
   * A requirement of a member, or of the root, one member after the other; by default it brings its target in. The graph
   * keeps it and fills in its ends: a lock has tens of thousands, and a second object for each costs time.
   */
  require(
    source: Member | undefined,
    target: Member | undefined,
    one: OpenRequirement,
    installs?: boolean,
  ): void
  finish(): Graph
}

/** Each graph needs members of its own. */
export const makeMember = ({ id, name, version, reference, integrity }: Package, scope?: Scope): Member => ({
  resolution: { id, name, version, regular: false, development: false, reference, integrity },
  scope,
  first: 0,
  last: 0,
})

export function makeGraphBuilder(ecosystem: Ecosystem, origin: Origin): GraphBuilder {
  const members: Member[] = []
  const requirements: Requirement[] = []
  /** What each requirement brings in; members and no ids, because looking ids up would be most of the cost of a walk. */
  const brought: (Member | undefined)[] = []
  const starts: Readonly<Record<Scope, Member[]>> = { regular: [], development: [] }
  return {
    add(one) {
      if (members.length === LIMITS.resolutions) refuse(origin, 'too_many_packages')
      members.push(one)
    },
    require(source, target, one, installs = true) {
      if (requirements.length === LIMITS.requirements) refuse(origin, 'too_many_requirements')
      one.source = source?.resolution.id
      one.target = target?.resolution.id
      one.constraint = withoutCredentials(one.constraint) || '*'
      requirements.push(one)
      brought.push(installs ? target : undefined)
      if (source === undefined) {
        if (target !== undefined && installs) starts[one.scope].push(target)
        return
      }
      if (source.last === 0) source.first = brought.length - 1
      source.last = brought.length
    },
    finish() {
      reach(starts.regular, brought, 'regular')
      reach(starts.development, brought, 'development')
      for (const { resolution, scope } of members) if (scope !== undefined) resolution[scope] = true
      return { ecosystem, requirements, resolutions: members.map(({ resolution }) => resolution) }
    },
  }
}

/** What a project declares may be an address with a credential, which no inventory needs. */
const withoutCredentials = (constraint: string): string =>
  constraint.includes('://')
    ? constraint.replaceAll(/\/\/(?!git@[^/@]*(?:\/|$))[^/\s]*@/g, '//').replaceAll(/\?[^#]*/g, '')
    : constraint

/** Marks what the root reaches in a scope. */
function reach(starts: readonly Member[], brought: readonly (Member | undefined)[], scope: Scope): void {
  const reached: Member[] = []
  const enter = (one: Member | undefined): void => {
    if (one === undefined || one.resolution[scope]) return
    one.resolution[scope] = true
    reached.push(one)
  }
  for (const one of starts) enter(one)
  // The list grows on the way.
  for (const { first, last } of reached) for (let at = first; at < last; at += 1) enter(brought[at])
}
