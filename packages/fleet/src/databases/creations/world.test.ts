import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { InputOf } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { textFile } from '@fleet/shell'
import type { DialectName } from '@fleet/store'
import { asCaller, fakeCall, type FakeCall, mortalDomains, testDomains } from '@fleet/testing'
import type { Moment } from '@fleet/testing/death'
import { type InstancesFleet, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { installSqlitePrograms } from '@fleet/testing/sqlite-programs'
import { fakeContainers } from '#/databases/servers/world.test.ts'

type Domains = ReturnType<typeof testDomains>

const SUDO = 'while [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"'

/** A fleet of Instances with real checkouts, whose Node also has a database server, as files. */
export interface CreationWorld extends AsyncDisposable {
  readonly fleet: InstancesFleet
  readonly domains: Domains
  call(): FakeCall
  /** Domains of a gateway that dies at the moment. */
  mortal(moment?: Moment): ReturnType<typeof mortalDomains>
  createServer(slug?: string): Promise<void>
  create(
    given?: Partial<InputOf<'instance:create'>>,
    call?: FakeCall,
    domains?: Domains,
  ): Promise<{ id: number }>
  onServer(): readonly string[]
  log(): string
  breakOn(text?: string): void
  put(name: string, text?: string): void
  text(name: string): string
  stop(): void
  /** Values of the environment file of a name, or undefined. */
  envFile(name: string, file?: string): string | undefined
}

export async function startCreationWorld(dialect?: DialectName): Promise<CreationWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-creation-'))
  const [bin, state] = [join(folder, 'bin'), join(folder, 'server')]
  for (const each of [bin, state]) mkdirSync(each)
  const install = (name: string, text: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}`)
    chmodSync(join(bin, name), 0o755)
  }
  install('docker', textFile('../servers/fake-server.sh', import.meta.url))
  install('sudo', SUDO)
  installSqlitePrograms(bin, state)
  const fleet = await startInstancesFleet({
    ...(dialect && { dialect }),
    env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, FLEET_FAKE_SERVER: state },
  })
  const { store, pool, node } = fleet
  await store.db.updateTable('nodes').set({ user: userInfo().username }).execute()
  fleet.git.commit('app', 'main', {
    'a.txt': '1',
    '.env.example': 'APP_NAME=shop\n',
    '.gitignore': '/data\n',
  })
  const given = { store, ssh: pool, clock: systemClock }
  const containers = fakeContainers(store, state)
  const base = testDomains(given, { git })
  const fakes = { git, processes: { ...base.processes, servers: containers as never } } // Servers use nothing else of the Process that is reserved.
  const domains = testDomains(given, fakes)
  const call = () => fakeCall({ caller: asCaller(node, true) })
  const at = (name: string): string => join(state, name)
  return {
    fleet,
    domains,
    call,
    mortal: (moment) => mortalDomains(given, moment, fakes),
    createServer: async (slug = 'main') => {
      const input = { slug, node_id: node.id }
      await domains.databases.handlers['database:server:create']({ call: call(), input })
    },
    create: async (wanted = {}, chosen = call(), by = domains) => {
      const input = { project_id: fleet.project.id, node_id: node.id, name: 'feature', ...wanted }
      return (await by.instances.handlers['instance:create']({ call: chosen, input })).data
    },
    onServer: () =>
      readdirSync(state)
        .filter((name) => /^(?:db|user)\./.test(name))
        .toSorted(),
    log: () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : ''),
    breakOn: (part) =>
      part === undefined ? rmSync(at('broken'), { force: true }) : writeFileSync(at('broken'), part),
    put: (name, text = '') => writeFileSync(at(name), text),
    text: (name) => readFileSync(at(name), 'utf8'),
    stop: () => rmSync(at('running'), { force: true }),
    envFile: (name, file = '.env') => {
      const path = join(fleet.apps, 'app', name, file)
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    },
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const unasked = (): never => {
  throw new Error('the gateway asked a remote')
}
const git = { defaultBranch: unasked, hasBranch: unasked, githubToken: unasked }
