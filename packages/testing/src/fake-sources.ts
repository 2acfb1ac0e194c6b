import type { Php, PhpSource, PhpVersion, Pool, SourceAccess } from '@fleet/fleet'

export interface FakePhp extends Php {
  /** What was asked for, in order: `version <directory>`, `converge`, `publish <pool>`, `withdraw`. */
  readonly asked: string[]
  /** What `versionFor` answers. */
  version: PhpVersion
  /** What the next call throws. */
  failure: Error | undefined
}

/** PHP of a Node without a Node. */
export function fakePhp(): FakePhp {
  const asked: string[] = []
  const note = (text: string): void => {
    asked.push(text)
    const { failure } = fake
    fake.failure = undefined
    if (failure) throw failure
  }
  const fake: FakePhp = {
    asked,
    version: '8.2',
    failure: undefined,
    versionFor: async (_session, { directory }: PhpSource) => {
      note(`version ${directory}`)
      return fake.version
    },
    requireServable: async () => undefined,
    versionThere: async (_destination, { directory }) => {
      note(`version there ${directory}`)
      return fake.version
    },
    converge: async () => {
      note('converge')
      return { outcome: 'applied', skipped: [] }
    },
    publish: async (_session, { name }: Pick<Pool, 'name'>) => note(`publish ${name}`),
    withdraw: async () => note('withdraw'),
    production: {
      versionFor: async (_session, { directory }) => {
        note(`production version ${directory}`)
        return fake.version
      },
      converge: async (_session, id) => note(`production converge ${id}`),
      convergeFound: async (_session, id) => note(`production converge ${id}`),
      refresh: async (_session, id) => note(`production refresh ${id}`),
      askPage: async (_session, { webRoot, path }) => {
        note(`production page ${path} of ${webRoot}`)
        return { outcome: 'unavailable' }
      },
      remove: async (_session, id) => note(`production remove ${id}`),
      artifact: { name: 'php', digest: async () => undefined, converge: async () => 'unchanged' },
    },
    artifact: { name: 'php', digest: async () => undefined, converge: async () => 'unchanged' },
    checks: [],
  }
  return fake
}

export interface FakeSourceAccess extends SourceAccess {
  /** Paths of the checkouts, in order. */
  readonly applied: string[]
  warnings: readonly string[]
  /** What the next call throws. */
  failure: Error | undefined
}

/** Access to sources of a Node without a Node. */
export function fakeSourceAccess(): FakeSourceAccess {
  const fake: FakeSourceAccess = {
    applied: [],
    warnings: [],
    failure: undefined,
    check: async () => undefined,
    open: async (_session, { checkoutPath }) => {
      fake.applied.push(checkoutPath)
      return { warnings: [] }
    },
    apply: async (_session, checkoutPath) => {
      fake.applied.push(checkoutPath)
      const { failure, warnings } = fake
      fake.failure = undefined
      if (failure) throw failure
      return { warnings }
    },
  }
  return fake
}
