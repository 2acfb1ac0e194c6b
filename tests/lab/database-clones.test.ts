import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { answersAgain, asRoot, onServer } from './engine-host.ts'
import { addProject, databaseOf, ownOf, rowsOf, SUM } from './engine-project.ts'
import { createServer, destroyServer, engineNode, ENGINES, engineWorld, type Server } from './engine-world.ts'
import { shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'dup', nodes: [engineNode('dup.test')] })
const withImages = engineWorld(started)

const ROWS = 400_000

/** Rows while the copy of a database is half-way there. */
const loading = (engine: Server['engine'], database: string): string =>
  engine === 'pgsql'
    ? `SELECT pid FROM pg_stat_progress_copy WHERE datname = '${database}' AND tuples_processed > 1000;`
    : `SELECT id FROM information_schema.processlist WHERE db = '${database}' AND info LIKE 'INSERT%';`

for (const engine of ENGINES)
  test(
    `a Node that loses its power in the middle of a dump of ${engine} keeps the source, and the identical request finishes the copy, of which nothing stays when it is removed [INS-068]`,
    onHosts,
    async (context) => {
      const world = await withImages()
      const { fleet, host } = world
      const server = await createServer(world, engine, `${engine}-cut`)
      const project = await addProject(world, context, server)
      const before = await onServer(host, server)
      assert.deepEqual(before, ownOf(project, 'default'))
      await asRoot(host, server, rowsOf(engine, ROWS), databaseOf(project, 'default'))
      const copy = databaseOf(project, 'feature')
      const sum = (database: string) => asRoot(host, server, SUM, database)
      const expected = await sum(databaseOf(project, 'default'))
      assert.match(expected.join(), new RegExp(`^${ROWS}\\b`))
      await host.run(['sync'])

      const create = ['instance:create', project, host.name, 'feature'] as const
      const request = fleet.gateway.fleet([...create, '--json'])
      const isLoading = async (): Promise<true | undefined> =>
        (await asRoot(host, server, loading(engine, copy))).length > 0 ? true : undefined
      assert.equal(await waitFor(60, isLoading), true, 'the dump never began')
      await host.kill()
      const { status, stderr } = await request
      assert.notEqual(status, 0)
      assert.match(stderr, /"code":"instance\.database_clone_failed"/)
      assert.match(stderr, /"finish":"fleet instance:destroy \d+ --force"/)
      await host.revive()
      await answersAgain(host, server)
      assert.deepEqual(await sum(databaseOf(project, 'default')), expected)

      const made = await fleet.record(...create)
      assert.equal(made['status'], 'active')
      assert.deepEqual(await sum(copy), expected)
      assert.deepEqual(await onServer(host, server), [...before, ...ownOf(project, 'feature')].toSorted())
      await fleet.record('instance:destroy', String(made['id']), '--force', '--yes')
      assert.deepEqual(await onServer(host, server), before)
    },
  )

/** As a password may be written somewhere. */
const written = (password: string): readonly string[] => [
  password,
  Buffer.from(password).toString('hex'),
  Buffer.from(password).toString('base64').replace(/=+$/, ''),
]

const LOOK = "grep -rlaF --devices=skip -f - $(ls -d /* | grep -vxE '/(proc|sys|dev)') || true"

/** Files of a host, all of them, that have one of the passwords. */
async function filesWith(host: Host, passwords: readonly string[]): Promise<readonly string[]> {
  const input = `${passwords.flatMap(written).join('\n')}\n`
  const listed = await host.run(['sh', '-c', LOOK], { input, timeoutSeconds: 600 })
  return [...new Set(listed.split('\n').filter(Boolean))].toSorted()
}

/** What runs on a host, with its arguments and its environment, and what its journal has. */
const RUNNING = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'"
const JOURNAL = 'journalctl --output=export --all --no-pager'

async function assertUnsaid(host: Host, passwords: readonly string[]): Promise<void> {
  for (const look of [RUNNING, JOURNAL]) {
    const text = await host.run(['sh', '-c', look], { timeoutSeconds: 120 })
    assert.ok(text.length > 1000, look)
    for (const each of passwords.flatMap(written)) assert.ok(!text.includes(each), look)
  }
}

/** Docker with its words written down, so that a secret among them is found in a file. */
const NOTED = String.raw`printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>/var/tmp/docker-words\nPATH=/usr/sbin:/usr/bin exec docker "$@"\n' >/usr/local/bin/docker
chmod 755 /usr/local/bin/docker`

const PLANTED = 'var/tmp/planted'

for (const engine of ENGINES)
  test(
    `no password of a server of ${engine} or of its databases is in an argument, a process, a journal, an Activity or any file of a host but the environment files of its Instances [DBS-031, DBS-035]`,
    onHosts,
    async (context) => {
      const world = await withImages()
      const { fleet, host } = world
      const gateway = fleet.gateway.host
      await host.run(['sh', '-c', NOTED])
      const server = await createServer(world, engine, `${engine}-canary`)
      const project = await addProject(world, context, server)
      const made = await fleet.record('instance:create', project, host.name, 'feature')
      await fleet.record('database:create', `${engine}-alone`, `--server=${server.slug}`)
      const environments = ['default', 'feature'].map((name) => `/home/fleet/apps/${project}/${name}/.env`)
      const owners = environments.map((path) => {
        const [, password = ''] =
          /^DB_PASSWORD="(.+)"$/m.exec(readFileSync(join(host.root, path), 'utf8')) ?? []
        assert.ok(password.length > 20, path)
        return password
      })
      const all = [server.password, ...owners]
      assert.equal(new Set(all).size, 3)
      writeFileSync(join(host.root, PLANTED), server.password)
      const known = environments.flatMap((path) => [path, `${path}.testing`])
      assert.deepEqual(await filesWith(host, all), [...known, `/${PLANTED}`].toSorted())
      rmSync(join(host.root, PLANTED))
      const words = readFileSync(join(host.root, 'var/tmp/docker-words'), 'utf8')
      assert.match(words, /^container exec --interactive /m)
      assert.deepEqual(await filesWith(gateway, all), [])
      for (const each of [host, gateway]) await assertUnsaid(each, all)
      const activities = JSON.stringify(await fleet.records('activity:list', '--limit=200'))
      assert.match(activities, /database:server:create/)
      for (const each of all.flatMap(written)) assert.ok(!activities.includes(each))

      await fleet.record('database:destroy', `${engine}-alone`, '--yes')
      const instances = await fleet.records('instance:list')
      const whole = instances.find(({ id, name }) => name === 'default' && id !== made['id'])
      for (const each of [made, whole])
        await fleet.record('instance:destroy', String(each?.['id']), '--force', '--yes')
      assert.deepEqual(await onServer(host, server), [])
      await destroyServer(fleet, server.slug)
      assert.deepEqual(await filesWith(host, all), [])
      await host.run(['rm', '/usr/local/bin/docker'])
    },
  )
