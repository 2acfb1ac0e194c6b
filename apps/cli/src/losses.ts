import type { DatabaseConnectionData, InstanceData, OutputOf, ProcessData } from '@fleet/contract'
import { inline } from '#/print/value.ts'

/** Answers the `data` of another read. */
export type Read = (operation: string, members: Readonly<Record<string, unknown>>) => Promise<unknown>

/** Ids in the place of names. */
export type Members = Readonly<Record<string, unknown>>

/** What a success would delete, stop or move, by name, read before the question is asked. */
export const losses: Readonly<Record<string, (read: Read, members: Members) => Promise<readonly string[]>>> =
  {
    'database:destroy': async (read, { slug }) => {
      const found = await read('database:show', { slug })
      const { server, database, test_database: test } = found as DatabaseConnectionData // The gateway answers by this declaration.
      if (server === null) return [`database connection ${String(slug)}`, '  stays    the database itself']
      return [
        `database connection ${String(slug)}`,
        `  dropped  the database ${database ?? ''} on the server ${server}, with all its data`,
        ...(test === null
          ? []
          : [`  dropped  every database there whose name begins with ${test}, unless it has a record`]),
        '  dropped  the users who were created in it, unless another database has them',
      ].map((line) => inline(line))
    },
    'github:app:destroy': async (read) => {
      const app = await read('github:app:show', {})
      const { name, url, installations } = app as OutputOf<'github:app:show'> // The gateway answers by this declaration.
      const accounts = installations.map(({ account }) => account).join(', ')
      return [
        `GitHub App ${name}`,
        `  stays    the app at GitHub, ${url}${accounts === '' ? '' : `, installed on ${accounts}`}`,
        '  deleted  its private key on the gateway',
        '  lost     access to private repositories that are read with it alone',
      ].map((line) => inline(line))
    },
    'instance:destroy': async (read, members) => {
      const { instance, processes } = await whole(read, members)
      const isProduction = instance.environment === 'production'
      return [
        titleOf(instance),
        ...(isProduction
          ? [`  stays    releases, environment, database.sqlite and account in ${home(instance)}`]
          : [`  deleted  the checkout ${instance.checkout_path}${branchOf(instance)}`]),
        ...(members['force'] === true && !isProduction
          ? [
              '  lost     work in it that was not committed, stashes, and commits that its origin does not have',
              ...(await worktreesOf(read, instance)),
            ]
          : []),
        ...(await databasesOf(read, instance)),
        ...served(instance, 'no longer answers'),
        ...processes.map(({ name }) => `  removed  the Process ${name}`),
        ...(await schedulesOf(read, instance)),
      ].map((line) => inline(line))
    },
    'project:destroy': async (read, { project }) => {
      const named = async (kind: string): Promise<readonly string[]> => {
        const all = await read(`project:${kind}-definition:list`, { project }).catch(() => [])
        const definitions = Array.isArray(all) ? (all as { readonly name: string }[]) : [] // The gateway answers by this declaration.
        return definitions.map(({ name }) => `  deleted  the ${kind} definition ${name}, with its variables`)
      }
      const definitions = [...(await named('process')), ...(await named('schedule'))]
      const rest = '  deleted  its deploy, setup and teardown steps, and its deploy key'
      return [`project ${String(project)}`, ...definitions, rest].map((line) => inline(line))
    },
    'instance:transfer': async (read, members) => {
      const { instance, processes } = await whole(read, members)
      return [
        titleOf(instance),
        `  copied   the checkout ${instance.checkout_path}${branchOf(instance)}, and then deleted there`,
        ...served(instance, 'is unavailable meanwhile, and follows if it was generated'),
        ...processes.flatMap(({ name, runtime }) => [
          `  stopped  the Process ${name}, and started on the other Node`,
          ...(runtime === 'docker'
            ? ['  stays    the volumes of its container: it starts there with empty ones']
            : []),
        ]),
      ].map((line) => inline(line))
    },
  }

interface Whole {
  readonly instance: InstanceData
  readonly processes: readonly ProcessData[]
}

async function whole(read: Read, { instance: id }: Members): Promise<Whole> {
  const [instance, processes] = await Promise.all([
    read('instance:show', { instance: id }),
    read('process:list', { target_type: 'instance', target_id: id }).catch(() => []),
  ])
  return {
    instance: instance as InstanceData, // The gateway answers by this declaration.
    processes: Array.isArray(processes) ? (processes as ProcessData[]) : [], // As above.
  }
}

/** On servers those that it owns; as files all that are in its checkout. In production the files stay (INS-118). */
async function databasesOf(
  read: Read,
  { id, node_id, checkout_path, environment }: InstanceData,
): Promise<readonly string[]> {
  const all = await read('database:list', {}).catch(() => undefined)
  if (!Array.isArray(all))
    return ['  dropped  each database on a server that it owns: they could not be listed']
  const databases = all as DatabaseConnectionData[] // The gateway answers by this declaration.
  const isOwned = ({ owner_instance_id: owner, server }: DatabaseConnectionData) =>
    owner === id && server !== null
  const isDeleted = ({ driver, node_id: node, path }: DatabaseConnectionData) =>
    environment === 'development' &&
    driver === 'sqlite' &&
    node === node_id &&
    path?.startsWith(`${checkout_path}/`) === true
  return [
    ...databases
      .filter(isOwned)
      .map(
        ({ slug, database, server }) =>
          `  dropped  the database ${slug} (${database ?? ''} on the server ${server ?? ''}), with all its data and test databases`,
      ),
    ...databases
      .filter(isDeleted)
      .map(({ slug, path }) => `  deleted  the file of the database ${slug}, ${path ?? ''}`),
  ]
}

async function schedulesOf(read: Read, { id }: InstanceData): Promise<readonly string[]> {
  const all = await read('schedule:list', {}).catch(() => [])
  const schedules = Array.isArray(all) ? (all as OutputOf<'schedule:list'>) : [] // The gateway answers by this declaration.
  return schedules
    .filter(({ target_type, target_id }) => target_type === 'instance' && target_id === id)
    .map(({ name }) => `  removed  the Schedule ${name}; a run of it is ended`)
}

/** A record names no checkout that it is a worktree of, so those of the Project on the Node are named. */
async function worktreesOf(
  read: Read,
  { project_id, node_id, source_layout }: InstanceData,
): Promise<readonly string[]> {
  if (source_layout !== 'checkout') return []
  const all = await read('instance:list', {}).catch(() => [])
  const instances = Array.isArray(all) ? (all as InstanceData[]) : [] // The gateway answers by this declaration.
  const names = instances
    .filter(
      (one) => one.project_id === project_id && one.node_id === node_id && one.source_layout === 'worktree',
    )
    .map(({ name }) => name)
  return names.length === 0
    ? []
    : [
        `  removed  those of these Instances that are its linked worktrees, with their databases: ${names.join(', ')}`,
      ]
}

const titleOf = ({ project, name, node, environment }: InstanceData): string =>
  `${project.slug}/${name} on ${node.name} (${environment})`

const branchOf = ({ selected_branch: branch }: InstanceData): string =>
  branch === null ? '' : ` of branch ${branch}`

const home = ({ production_home: path, checkout_path }: InstanceData): string => path ?? checkout_path

const served = ({ domain }: InstanceData, what: string): readonly string[] =>
  domain === null ? [] : [`  ${'domain'.padEnd(7)}  ${domain} ${what}`]
