import assert from 'node:assert/strict'
import type { InputOf, ProcessData } from '@fleet/contract'
import type { DialectName } from '@fleet/store'
import { asCaller, type FakeCall, fakeCall, type ServiceFleet, startServiceFleet } from '@fleet/testing'

type Input = InputOf<'process:create'>
type Changes = Omit<InputOf<'database:update'>, 'slug'>

export const PASSWORD = 'canary "Pa55word" $HOME `x` \\n'

/** The connection `shop` and the Processes of one Node. */
export interface World extends AsyncDisposable {
  readonly fleet: ServiceFleet
  create(more?: Partial<Input>): Promise<ProcessData>
  act(action: 'start' | 'stop' | 'restart', process: ProcessData): Promise<ProcessData>
  list(): Promise<readonly ProcessData[]>
  update(changes?: Changes, call?: FakeCall): Promise<FakeCall>
  show(): Promise<Record<string, unknown>>
  /** What it got when it last started. */
  environmentOf(process: ProcessData): string
  /** Arguments of the systemctl calls that started or stopped something since the last look. */
  acted(): readonly string[]
}

/** What is done to a unit by the words that also make or remove its link for the next boot. */
const ACTS: Readonly<Record<string, string>> = { 'enable --now': 'start', 'disable --now': 'stop' }

export const unitOf = ({ id, name }: Pick<ProcessData, 'id' | 'name'>): string =>
  `orbit-process-${id}-${name}.service`
export const fileOf = ({ id }: Pick<ProcessData, 'id'>): string => `etc/fleet/processes/${id}.env`

export async function startWorld(dialect?: DialectName): Promise<World> {
  const fleet = await startServiceFleet(dialect)
  const { host, node } = fleet
  host.docker.addImage('app:1')
  const { processes, databases } = fleet.domains
  const newCall = (): FakeCall => fakeCall({ caller: asCaller(node, true) })
  const login = { host: 'a.internal', database: 'shop', username: 'reader', password: PASSWORD }
  const input = { slug: 'shop', driver: 'pgsql', ...login } as const
  await databases.handlers['database:create']({ call: newCall(), input })
  let seen = 0
  return {
    fleet,
    create: async (more = {}) => {
      const given: Input = {
        target_type: 'node',
        target_id: node.id,
        name: 'web',
        runtime: 'systemd',
        command: more.runtime === 'docker' ? ['serve'] : ['/usr/bin/true'],
        connections: ['shop'],
        ...more,
      }
      return (await processes.handlers['process:create']({ call: newCall(), input: given })).data
    },
    act: async (action, { id }) =>
      (await processes.handlers[`process:${action}`]({ call: newCall(), input: { process: id } })).data,
    list: async () => (await processes.handlers['process:list']({ call: newCall(), input: {} })).data,
    update: async (changes = {}, call = newCall()) => {
      await databases.handlers['database:update']({ call, input: { slug: 'shop', ...changes } })
      return call
    },
    show: async () =>
      (await databases.handlers['database:show']({ call: newCall(), input: { slug: 'shop' } })).data,
    environmentOf: (process) => host.systemd.environment(unitOf(process)),
    acted: () => {
      const calls = host.systemd.calls()
      const since = calls.slice(seen)
      seen = calls.length
      return since.flatMap((line) => {
        const [, verb = '', unit] =
          /^(?:--no-reload )?(start|restart|enable --now|disable --now) (.+)$/.exec(line) ?? []
        return unit === undefined ? [] : [`${ACTS[verb] ?? verb} ${unit}`]
      })
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

/** Codes and observations of Doctor's family of Processes. */
export async function findings({ fleet }: World): Promise<readonly string[]> {
  const { data } = await fleet.domains.doctor.handlers['doctor:run']({
    call: fakeCall({ caller: asCaller(fleet.node, true) }),
    input: { node_id: fleet.node.id, families: ['process'] },
  })
  return data.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code, observed }) => `${code}: ${observed}`)),
  )
}

/** The values of `shop` with this host, as a unit reads them. */
export const quotedValues = (host: string, prefix = 'DB'): string =>
  [
    `${prefix}_CONNECTION="pgsql"`,
    `${prefix}_HOST="${host}"`,
    `${prefix}_PORT="5432"`,
    `${prefix}_DATABASE="shop"`,
    `${prefix}_USERNAME="reader"`,
    `${prefix}_PASSWORD="canary \\"Pa55word\\" \\$HOME \\\`x\\\` \\\\n"`,
  ].join('\n')

export const withMarker = ({ id }: ProcessData, values: string): string =>
  `# Written by Fleet. Changes made here are replaced.\n# fleet.process.id=${id}\n${values}`

export async function rejection(work: Promise<unknown>) {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof Error)
  return error as Error & { readonly code: string; readonly details: Record<string, unknown> } // What domains throw.
}
