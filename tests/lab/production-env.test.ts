import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ENVIRONMENT_FILES } from '@fleet/testing'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { addStore, runOn } from './production-site.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'env',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'env.test'] },
    { name: 'live', roles: ['app-prod'], words: ['--tld', 'live.test'] },
  ],
})

const [INSTANCE, USER] = ['store/live', 'store-live']
const closing = new AsyncDisposableStack()
after(() => closing.disposeAsync())

/** A production Instance with a release; the Node that it is on. */
async function begin(fleet: InstalledFleet): Promise<Host> {
  const [web, live] = [fleet.node('web'), fleet.node('live')]
  const defer = { after: (close: () => unknown) => closing.defer(async () => void (await close())) }
  await addStore(fleet, defer, web, live)
  await fleet.record('instance:create', 'store', web.name, 'default')
  await fleet.record('instance:clone', 'store/default', live.name, 'live', '--preview-name', 'preview')
  const { status } = await runOn(fleet, 'instance:deploy', INSTANCE)
  assert.equal(status, 0)
  return live
}

let site: Promise<Host> | undefined
const served = (fleet: InstalledFleet): Promise<Host> => (site ??= begin(fleet))

const asUser = (host: Host, script: string): Promise<string> =>
  host.run(['runuser', '-u', USER, '--', 'sh', '-c', `cd ~ && ${script}`])

/** Runs the Schedule and waits for the report of its end. */
async function run(fleet: InstalledFleet, command: string): Promise<void> {
  const words = ['instance', INSTANCE, `once-${Date.now()}`, '2099-01-01', command] as const
  const { id } = await fleet.record('schedule:create', ...words)
  await fleet.record('schedule:run', String(id))
  const hasRun = async () =>
    (await fleet.record('schedule:show', String(id)))['last_run_status'] === 'success' ? true : undefined
  assert.equal(await waitFor(30, hasRun), true, 'the run is not reported')
  await fleet.record('schedule:destroy', String(id), '--yes')
}

test('systemd of this host reads every file as the reader of production users does', onHosts, async () => {
  const host = started().node('live')
  for (const { text, variables } of ENVIRONMENT_FILES) {
    await host.run(['sh', '-c', 'cat >/root/probe.env'], { input: text })
    const unit = ['--quiet', '--wait', '--pipe', '-p', 'EnvironmentFile=/root/probe.env'] as const
    const said = await host.run(['systemd-run', ...unit, '--', 'env', '-0'])
    const read = new Map(
      said
        .split('\0')
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    )
    for (const [name, value] of Object.entries(variables)) assert.equal(read.get(name), value, text)
    for (const name of ['C', 'D', 'A-B', '1A'])
      if (!(name in variables)) assert.equal(read.get(name), undefined, text)
  }
})

test(
  'a production Process gets the variables of its .env and is itself the main process of its unit',
  onHosts,
  async () => {
    const fleet = started()
    const host = await served(fleet)
    const command = ['--command=/bin/sleep', '--command=1000', '--start']
    const process = await fleet.record(
      'process:create',
      'instance',
      INSTANCE,
      'worker',
      '--runtime',
      'systemd',
      ...command,
    )
    const unit = `orbit-process-${String(process['id'])}-worker.service`
    const main = (await host.run(['systemctl', 'show', '--property=MainPID', '--value', unit])).trim()
    assert.equal(await host.run(['sh', '-c', `tr '\\0' ' ' </proc/${main}/cmdline`]), '/bin/sleep 1000 ')
    const environment = await host.run(['sh', '-c', `tr '\\0' '\\n' </proc/${main}/environ`])
    assert.match(environment, /^APP_ENV=production$/m)
    assert.match(environment, /^NODE_USE_SYSTEM_CA=1$/m)
    await fleet.record('process:destroy', String(process['id']), '--yes')
  },
)

test(
  'what a production user puts into its .env reaches no program of root, and a link there reads nothing that only root may',
  onHosts,
  async () => {
    const fleet = started()
    const host = await served(fleet)
    const content = await asUser(host, 'cat .env')
    await host.run(['sh', '-c', 'umask 077; echo STOLEN=1 >/root/secret.env; mkdir -m 1777 -p /tmp/loaded'])
    // The loader of every program that has these writes a file as the account of that program.
    await asUser(host, `printf 'LD_DEBUG=libs\\nLD_DEBUG_OUTPUT=/tmp/loaded/by\\n' >>.env`)
    await run(fleet, 'true')
    const owners = await host.run(['sh', '-c', 'stat -c %U /tmp/loaded/* | sort -u'])
    assert.equal(owners, `${USER}\n`)
    await asUser(host, 'ln -sfn /root/secret.env .env')
    await run(fleet, 'env >"$HOME/seen"')
    assert.doesNotMatch(await asUser(host, 'cat seen'), /STOLEN/)
    await host.run(
      ['runuser', '-u', USER, '--', 'sh', '-c', 'cd ~ && rm .env seen && umask 077 && cat >.env'],
      {
        input: content,
      },
    )
  },
)
