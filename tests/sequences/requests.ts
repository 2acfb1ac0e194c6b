import type { OperationName } from '@fleet/contract'
import fc from 'fast-check'
import type { Machine } from './machines.ts'
import type { SeenInstance, SeenProject, Surroundings } from './surroundings.ts'

/** What is asked of the gateway, or becomes due without a request. */
export type Request =
  | { readonly operation: OperationName; readonly input: object; readonly from?: Machine }
  | { readonly tick: 'hibernation:sweep' }

/** What is drawn for one operation: its kind, and numbers that choose among what there is. */
export const operation = fc.record({
  kind: fc.oneof(
    ...Object.entries({
      'project:create': 1,
      'instance:create': 5,
      copy: 3,
      branch: 2,
      domain: 2,
      transfer: 4,
      clone: 3,
      deploy: 4,
      rollback: 2,
      sleep: 2,
      wake: 2,
      'process:create': 4,
      'process:action': 2,
      'process:destroy': 1,
      'schedule:create': 2,
      'schedule:destroy': 1,
      'database:attach': 2,
      'database:detach': 1,
      'route:create': 2,
      'route:destroy': 1,
      'project:update': 4,
      'instance:destroy': 2,
      work: 2,
    } as const).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) })), // Its own keys.
  ),
  which: fc.nat(1000),
  other: fc.nat(1000),
})

type Kind =
  | 'project:create'
  | 'instance:create'
  | 'copy'
  | 'branch'
  | 'domain'
  | 'transfer'
  | 'clone'
  | 'deploy'
  | 'rollback'
  | 'sleep'
  | 'wake'
  | 'process:create'
  | 'process:action'
  | 'process:destroy'
  | 'schedule:create'
  | 'schedule:destroy'
  | 'database:attach'
  | 'database:detach'
  | 'route:create'
  | 'route:destroy'
  | 'project:update'
  | 'instance:destroy'
  | 'work'

export type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** Files that nobody but a person wrote, by the id of the Instance, and what is in them. */
export type Work = Map<number, Map<string, string>>

const NAMES = ['default', 'one', 'two', 'three'] as const
const SLUGS = ['shop', 'store', 'blog', 'news'] as const

const pick = <T>(all: readonly T[], at: number): T | undefined => all[at % Math.max(all.length, 1)]

interface Drawn extends Pick<Operation, 'which' | 'other'> {
  readonly around: Surroundings
  readonly work: Work
  readonly count: number
  readonly projects: readonly SeenProject[]
  readonly development: readonly SeenInstance[]
  readonly production: readonly SeenInstance[]
}

type Make = (drawn: Drawn) => Request | undefined | Promise<Request | undefined>

/** What was played so far, and the requests that are to be repeated. */
export interface History {
  played: number
  readonly lines: string[]
  readonly pending: Request[]
  readonly work: Work
}

/** The request of an operation, with what is there to be asked for; undefined where there is nothing of the kind. */
export async function requestOf(
  around: Surroundings,
  work: Work,
  count: number,
  drawn: Operation,
): Promise<Request | undefined> {
  const instances = await around.instances()
  return MAKERS[drawn.kind]({
    ...drawn,
    around,
    work,
    count,
    projects: await around.projects(),
    development: instances.filter(({ environment }) => environment === 'development'),
    production: instances.filter(({ environment }) => environment === 'production'),
  })
}

const nodeAt = ({ around }: Drawn, at: number): number => around.nodes[at] ?? 0

const MAKERS: Readonly<Record<Kind, Make>> = {
  'project:create': ({ around, projects, which }) => {
    const slug = pick(SLUGS, which) ?? ''
    const repository = pick(['shop', 'blog'], which) ?? ''
    if (projects.length >= 2) return undefined
    return {
      operation: 'project:create',
      input: { slug, type: 'node-package', root: 'public', repository_url: around.urlOf(repository) },
    }
  },
  'instance:create': (drawn) => {
    const project = pick(drawn.projects, drawn.which)
    if (!project || drawn.development.length >= 5) return undefined
    const name = pick(NAMES, drawn.other) ?? ''
    const domain = drawn.other % 2 === 0 ? { domain: `${name}-${drawn.count}.internal` } : {}
    return {
      operation: 'instance:create',
      input: { project_id: project.id, node_id: nodeAt(drawn, drawn.which % 2), name, ...domain },
    }
  },
  copy: ({ development, which, other, count }) => {
    const source = pick(development, which)
    if (!source || development.length >= 6) return undefined
    const { project_id, node_id, id } = source
    const domain = other % 2 === 0 ? { domain: `copy-${count}.internal` } : {}
    return {
      operation: 'instance:create',
      input: { project_id, node_id, name: `copy-${other % 3}`, source_instance_id: id, ...domain },
    }
  },
  branch: async ({ around, development, which, count }) => {
    const found = pick(development, which)
    const branch = `work-${count}`
    if (!found || !(await around.begin(found, branch))) return undefined
    return { operation: 'instance:rename', input: { instance: found.id, branch } }
  },
  domain: ({ development, which, count }) => {
    const found = pick(development, which)
    return (
      found && {
        operation: 'instance:rename',
        input: { instance: found.id, domain: `moved-${count}.internal` },
      }
    )
  },
  transfer: (drawn) => {
    const found = pick(drawn.development, drawn.which)
    if (!found) return undefined
    const there = nodeAt(drawn, 0) === found.node_id ? nodeAt(drawn, 1) : nodeAt(drawn, 0)
    const name = drawn.other % 4 === 0 ? { name: `moved-${drawn.count}` } : {}
    return { operation: 'instance:transfer', input: { instance: found.id, node_id: there, ...name } }
  },
  clone: (drawn) => {
    const found = pick(drawn.development, drawn.which)
    if (!found || drawn.production.length >= 2) return undefined
    const name = `live-${drawn.other % 2}`
    const input = { candidate: found.id, node_id: nodeAt(drawn, 2), name, preview_name: name, branch: 'main' }
    return { operation: 'instance:clone', input }
  },
  deploy: ({ development, production, which, other }) => {
    const found = pick(
      other % 3 === 0 ? development.filter(({ name }) => name === 'default') : production,
      which,
    )
    return found && { operation: 'instance:deploy', input: { instance: found.id } }
  },
  rollback: async ({ around, production, which, other }) => {
    const found = pick(production, which)
    const release = found && pick((await around.releasesOf(found)).slice(-3), other)
    return found && release
      ? { operation: 'instance:rollback', input: { instance: found.id, release } }
      : undefined
  },
  sleep: () => ({ tick: 'hibernation:sweep' }),
  wake: ({ development, which }) => {
    const found = pick(development, which)
    return found && { operation: 'instance:wake', input: { instance: found.id } }
  },
  'process:create': ({ development, production, which, other }) => {
    const found = pick([...development, ...production], which)
    const input = {
      name: pick(['queue', 'vite'], other),
      runtime: 'systemd',
      command: ['/bin/sleep', '1000000'],
      start: other % 3 > 0,
    }
    return (
      found && {
        operation: 'process:create',
        input: { ...input, target_type: 'instance', target_id: found.id },
      }
    )
  },
  'process:action': async ({ around, which, other }) => {
    const process = pick(await around.ids('processes'), which)
    const verb = pick(['process:start', 'process:stop', 'process:restart'] as const, other) ?? 'process:stop'
    return process === undefined ? undefined : { operation: verb, input: { process } }
  },
  'process:destroy': async ({ around, which }) => {
    const process = pick(await around.ids('processes'), which)
    return process === undefined ? undefined : { operation: 'process:destroy', input: { process } }
  },
  'schedule:create': ({ development, production, which, other }) => {
    const found = pick([...development, ...production], which)
    const input = {
      name: pick(['nightly', 'hourly'], other),
      calendar: 'daily',
      command: 'true',
      start: other % 3 > 0,
    }
    return (
      found && {
        operation: 'schedule:create',
        input: { ...input, target_type: 'instance', target_id: found.id },
      }
    )
  },
  'schedule:destroy': async ({ around, which }) => {
    const schedule = pick(await around.ids('schedules'), which)
    return schedule === undefined ? undefined : { operation: 'schedule:destroy', input: { schedule } }
  },
  'database:attach': async ({ around, development, which, other }) => {
    const found = pick(development, which)
    const slug = pick(['books', 'songs'], other) ?? ''
    if (!found) return undefined
    if (await around.hasConnection(slug))
      return { operation: 'instance:database:add', input: { instance: found.id, slug, prefix: 'DB' } }
    const connection = {
      slug,
      driver: 'pgsql',
      host: 'db.internal',
      port: 5432,
      database: slug,
      username: 'reader',
      password: 'a-canary',
    }
    return { operation: 'database:create', input: connection }
  },
  'database:detach': async ({ around, which }) => {
    const input = pick(await around.attachments(), which)
    return input && { operation: 'instance:database:remove', input }
  },
  'route:create': ({ development, which, count }) => {
    const found = pick(development, which)
    return (
      found && {
        operation: 'route:create',
        input: { domain: `more-${count}.internal`, instance_id: found.id },
      }
    )
  },
  'route:destroy': async ({ around, which }) => {
    const route = pick(await around.ids('routes'), which)
    return route === undefined ? undefined : { operation: 'route:destroy', input: { route } }
  },
  'project:update': ({ around, projects, which, other }) => {
    const found = pick(projects, which)
    if (!found) return undefined
    const repository = found.repository_url.includes('blog')
      ? 'blog'
      : (pick(['shop', 'shop-fork'], other) ?? '')
    const change = pick(
      [
        { slug: pick(SLUGS, other) },
        { root: pick(['public', 'web'], other) },
        { default_branch: pick(['main', 'trunk'], other) },
        { repository_url: around.urlOf(repository) },
      ],
      which,
    )
    return { operation: 'project:update', input: { project: found.id, ...change } }
  },
  'instance:destroy': ({ development, production, which, work }) => {
    const found = pick([...development, ...production], which)
    // What is removed by force is what nobody wants any more.
    if (found) work.delete(found.id)
    return found && { operation: 'instance:destroy', input: { instance: found.id, force: true } }
  },
  work: async ({ around, development, which, count, work }) => {
    const found = pick(development, which)
    const [name, text] = [`by hand ${count}.txt`, `${count}\n`]
    if (found && (await around.write(found, name, text))) {
      const files = work.get(found.id) ?? new Map<string, string>()
      work.set(found.id, files.set(name, text))
    }
    return undefined
  },
}
