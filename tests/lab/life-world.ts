import { chownSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorRegistry, isErrorCode } from '@fleet/contract'
import type { GitServer } from '@fleet/testing/git-server'
import commands from '../../apps/cli/src/commands.json' with { type: 'json' }
import type { Ended, Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import type { JsonObject } from '../embedded/ask.ts'
import type { Request } from '../sequences/requests.ts'
import type { SeenInstance, Surroundings } from '../sequences/surroundings.ts'
import type { InstalledFleet } from './installed.ts'
import { page } from './shop.ts'
import { trust } from './trust.ts'

/** The hosts of the Nodes, in the order in which requests choose them: two for development, one for production, a Router. */
export const NODES = ['one', 'two', 'live', 'edge'] as const

export interface LifeWorld {
  readonly fleet: InstalledFleet
  readonly git: GitServer
  readonly hosts: readonly Host[]
  readonly around: Surroundings
  /** Asks the gateway as its own command line does. Answers `done`, `refused CODE`, `failed CODE`, or `died` without an answer. */
  ask(request: Request): Promise<string>
}

interface Declared {
  readonly destructive: boolean
  readonly arguments: readonly { readonly member: string }[]
  readonly options: readonly { readonly member: string; readonly name: string; readonly secret: boolean }[]
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The words of a request, and what is read from standard input. */
function wordsOf(operation: string, input: Readonly<Record<string, unknown>>) {
  const all: Readonly<Record<string, Declared>> = commands.commands
  const declared = all[operation]
  if (!declared) throw new Error(`there is no command ${operation}`)
  const given = [
    ...declared.arguments.flatMap(({ member }) => [input[member]].flat().map(text)),
    ...declared.options.flatMap(({ member, name, secret }) => {
      const value = input[member]
      if (value === undefined) return []
      if (secret || value === true) return [`--${name}`]
      return value === false ? [`--no-${name}`] : [`--${name}`, text(value)]
    }),
  ]
  const secret = declared.options.find(({ member, secret }) => secret && input[member] !== undefined)
  return {
    words: [operation, ...given, ...(declared.destructive ? ['--yes'] : []), '--json'],
    secret: secret && text(input[secret.member]),
  }
}

export async function startLifeWorld(fleet: InstalledFleet, git: GitServer): Promise<LifeWorld> {
  const hosts = NODES.map(fleet.node)
  await trust(git.caFile, 'git', fleet.gateway.host, ...hosts)
  const nodes = await fleet.records('node:list')
  const ids = hosts.map(({ name }) => Number(nodes.find((node) => node['name'] === name)?.['id']))
  const attached: JsonObject[] = []
  const hostOf = ({ node_id }: Pick<SeenInstance, 'node_id'>): Host | undefined => hosts[ids.indexOf(node_id)]
  const inside = ({ checkout_path: path, ...instance }: SeenInstance): string =>
    join(hostOf(instance)?.root ?? '', path)
  return {
    fleet,
    git,
    hosts,
    ask: (request) => outcomeOf(fleet, attached, request),
    around: {
      nodes: ids,
      urlOf: (repository) => git.urlOf(repository),
      projects: async () => byId(await fleet.records('project:list')) as never, // As the contract says of a Project.
      instances: async () => byId(await fleet.records('instance:list')) as never, // And of an Instance.
      ids: async (of) => {
        const rows = await fleet.records(`${of === 'processes' ? 'process' : of.slice(0, -1)}:list`)
        return (of === 'schedules' ? rows : byId(rows)).map(({ id }) => id as never) // A number or a text.
      },
      releasesOf: async ({ id }) => {
        const { releases } = await fleet.record('instance:releases', String(id))
        return releases as readonly string[] // As the contract says.
      },
      attachments: async () => attached,
      hasConnection: async (slug) =>
        (await fleet.records('database:list')).some((connection) => connection['slug'] === slug),
      begin: async (instance, branch) => {
        const host = hostOf(instance)
        if (!host || !existsSync(join(inside(instance), '.git'))) return false
        const owner = String(statSync(inside(instance)).uid)
        const git = ['git', '-C', instance.checkout_path, 'switch', '-q', '-c', branch]
        await host.run(['setpriv', '--reuid', owner, '--clear-groups', ...git])
        return true
      },
      write: async (instance, name, content) => {
        const record = await fleet.record('instance:show', String(instance.id))
        const folder = inside(instance)
        if (record['removal'] !== null || !existsSync(join(folder, '.git'))) return false
        writeFileSync(join(folder, name), content)
        const { uid, gid } = statSync(folder)
        chownSync(join(folder, name), uid, gid)
        // It is still there when the Node loses its power later.
        await hostOf(instance)?.run(['sync', '-f', join(instance.checkout_path, name)])
        return true
      },
    },
  }
}

const byId = (rows: readonly JsonObject[]): readonly JsonObject[] =>
  rows.toSorted((one, other) => Number(one['id']) - Number(other['id']))

async function outcomeOf(fleet: InstalledFleet, attached: JsonObject[], request: Request): Promise<string> {
  if ('tick' in request) return 'done'
  const { operation } = request
  const input = request.input as Readonly<Record<string, unknown>> // Of an operation, all members have names.
  if (operation === 'instance:wake') return visited(fleet, String(input['instance']))
  const { words, secret } = wordsOf(operation, input)
  const ended = await fleet.gateway.host.attempt(['fleet', ...words], {
    timeoutSeconds: 300,
    ...(secret === undefined ? {} : { input: secret }),
  })
  const code = codeIn(ended)
  if (ended.status === 0) noteAttached(attached, operation, input)
  if (ended.status === 0) return 'done'
  if (code === undefined || !isErrorCode(code)) return 'died'
  return `${errorRegistry[code].status < 500 ? 'refused' : 'failed'} ${code}`
}

/** The code of a refusal, which a stream has in its last line. */
function codeIn({ stdout, stderr }: Ended): string | undefined {
  const { error_code: last } = parsed(stdout.trim().split('\n').at(-1) ?? '')
  if (typeof last === 'string') return last
  const { error } = parsed(stderr.trim().split('\n').at(-1) ?? '')
  const { code } = (error ?? {}) as JsonObject // The envelope of a failure.
  return typeof code === 'string' ? code : undefined
}

function parsed(line: string): JsonObject {
  try {
    return JSON.parse(line) as JsonObject // Every line of an answer is an object.
  } catch {
    return {}
  }
}

function noteAttached(attached: JsonObject[], operation: string, input: JsonObject): void {
  const isSame = (one: JsonObject): boolean =>
    one['instance'] === input['instance'] && one['slug'] === input['slug']
  if (operation === 'instance:database:add') attached.push(input)
  if (operation === 'instance:database:remove') attached.splice(attached.findIndex(isSame), 1)
  if (operation !== 'instance:destroy') return
  for (const one of attached.filter((known) => known['instance'] === input['instance']))
    attached.splice(attached.indexOf(one), 1)
}

/** A visitor asks for a page of it until that is no longer the page of its wake. */
async function visited(fleet: InstalledFleet, instance: string): Promise<string> {
  const { domain } = await fleet.record('instance:show', instance)
  if (typeof domain !== 'string') return 'done'
  const answered = await waitFor(60, async () => {
    const answer = await page(fleet.node('live'), domain)
    return /^(?:401|503) /.test(answer) ? undefined : true
  })
  return answered === true ? 'done' : 'failed node.unreachable'
}
