import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { doctorReport } from '@fleet/contract'
import type { JsonObject } from '../embedded/ask.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'ctr', nodes: [{ name: 'box', roles: ['database'] }] })

/** An image of the host's own shell, `sleep` and `cat`, made without a registry. */
const IMAGE = `
docker image inspect tiny:1 >/dev/null 2>&1 && exit 0
mkdir -p /tmp/i/bin /tmp/i/lib64 /tmp/i/lib/x86_64-linux-gnu /tmp/i/app
cp -L /bin/sh /bin/sleep /bin/cat /tmp/i/bin && cp -L /lib64/ld-linux-x86-64.so.2 /tmp/i/lib64
cp -L /lib/x86_64-linux-gnu/libc.so.6 /tmp/i/lib/x86_64-linux-gnu
tar -C /tmp/i -c . | docker import - tiny:1
sync`
const FOREVER = ['/bin/sh', '-c', 'echo began; trap "exit 0" TERM; while :; do sleep 0.1; done']
const CANARY = 'canary-of-a-container-7f3a'

const shell = (host: Host, line: string): Promise<string> =>
  host.run(['bash', '-eu', '-c', line], { timeoutSeconds: 90 })

async function withImage(): Promise<{ readonly fleet: InstalledFleet; readonly host: Host }> {
  const fleet = started()
  const host = fleet.node('box')
  await shell(host, IMAGE)
  return { fleet, host }
}

const words = (options: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(options).map(([name, value]) => `--${name}=${value}`)

async function request(
  fleet: InstalledFleet,
  name: string,
  options: Readonly<Record<string, string>> = {},
  command: readonly string[] = FOREVER,
): Promise<readonly [operation: string, ...words: string[]]> {
  const nodes = await fleet.records('node:list')
  const id = String(nodes.find((node) => node['name'] === fleet.node('box').name)?.['id'])
  const more = words({ runtime: 'docker', image: 'tiny:1', ...options })
  return ['process:create', 'node', id, name, ...more, ...command.map((word) => `--command=${word}`)]
}

const idOf = ({ id }: JsonObject): string => String(id)
const nameOf = ({ id, name }: JsonObject): string => `orbit-process-${String(id)}-${String(name)}`
const stateOf = async (host: Host, process: JsonObject): Promise<string> =>
  (await host.attempt(['docker', 'inspect', '--format', '{{.State.Status}}', nameOf(process)])).stdout.trim()

async function codes(fleet: InstalledFleet): Promise<readonly string[]> {
  const report = doctorReport.parse(await fleet.record('doctor', '--families', 'process'))
  return report.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
}

test(
  'a container of real Docker gets its variables, ports and volumes, is read, stopped with Docker restarted, and leaves nothing [PROC-009]',
  onHosts,
  async () => {
    const { fleet, host } = await withImage()
    const script = 'echo "<$TOKEN>"; cat /in/file; trap "exit 0" TERM; while :; do sleep 0.1; done'
    await shell(host, 'mkdir -p "/srv/a,b"; echo mounted >"/srv/a,b/file"')
    const asked = await request(
      fleet,
      'web',
      {
        environment: `TOKEN=${CANARY}`,
        ports: '127.0.0.1:18080:80',
        volumes: JSON.stringify([{ source: '/srv/a,b', target: '/in', read_only: true }]),
        'restart-policy': 'always',
      },
      ['/bin/sh', '-c', script],
    )
    const process = await fleet.record(...asked, '--start')
    assert.deepEqual([process['status'], process['runtime_status']], ['active', 'running'])
    assert.equal(JSON.stringify(process).includes(CANARY), false)
    const logs = await waitFor(20, async () => {
      const { logs: text } = await fleet.record('process:logs', idOf(process))
      return String(text).includes('mounted') ? String(text) : undefined
    })
    assert.match(logs ?? '', /<\[REDACTED\]>\nmounted/)
    assert.equal((await host.run(['docker', 'inspect', nameOf(process)])).includes(`TOKEN=${CANARY}`), true)
    const [listed] = await fleet.records('process:list')
    assert.equal(typeof listed?.['cpu'], 'number')
    assert.equal((await fleet.record('process:stop', idOf(process)))['runtime_status'], 'exited')
    await shell(host, 'systemctl reset-failed docker.service; systemctl restart docker; sleep 2')
    assert.equal(await stateOf(host, process), 'exited')
    assert.equal((await fleet.record('process:start', idOf(process)))['runtime_status'], 'running')
    await shell(host, 'systemctl reset-failed docker.service; systemctl restart docker; sleep 2')
    assert.equal(await stateOf(host, process), 'running')
    assert.equal((await fleet.record('process:restart', idOf(process)))['runtime_status'], 'running')
    await fleet.record('process:destroy', idOf(process), '--yes')
    assert.equal((await host.run(['docker', 'ps', '--all', '--quiet'])).trim(), '')
    const left = await host.attempt([
      'grep',
      '-rl',
      CANARY,
      '/var/lib/docker/containers',
      '/etc',
      '/tmp',
      '/run',
      '/var/log',
    ])
    assert.equal(left.stdout, '')
  },
)

test(
  'a container of real Docker that a changed connection replaces keeps its volumes, also one without a name, which goes with the Process',
  onHosts,
  async () => {
    const { fleet, host } = await withImage()
    const importing = "docker export made | docker import --change 'VOLUME /unnamed' - keeps:1"
    await shell(host, `docker create --name made tiny:1 /bin/sh; ${importing}; docker rm made; sync`)
    await fleet.record('database:create', 'replaced', '--driver=redis', '--host=a.internal')
    const volumes = JSON.stringify([{ source: 'kept', target: '/named' }])
    const options = { image: 'keeps:1', volumes, connections: 'replaced' }
    const process = await fleet.record(...(await request(fleet, 'keeps', options)), '--start')
    const name = nameOf(process)
    const read = 'cat /unnamed/file /named/file'
    await shell(
      host,
      `docker exec ${name} /bin/sh -c 'echo once >/unnamed/file; echo named >/named/file; echo gone >/app/file'`,
    )
    const container = await host.run(['docker', 'inspect', '--format', '{{.Id}}', name])
    await fleet.record('database:update', 'replaced', '--host=b.internal')
    assert.notEqual(await host.run(['docker', 'inspect', '--format', '{{.Id}}', name]), container)
    assert.equal(await shell(host, `docker exec ${name} /bin/sh -c '${read}'`), 'once\nnamed\n')
    await fleet.record('process:destroy', idOf(process), '--yes')
    assert.equal(await host.run(['docker', 'volume', 'ls', '--quiet']), 'kept\n')
    await host.run(['docker', 'volume', 'rm', 'kept'])
    await fleet.record('database:destroy', 'replaced', '--yes')
  },
)

test(
  'Doctor names a container that is gone, changed or stopped, and a stopped Docker, and its next step repairs each',
  onHosts,
  async () => {
    const { fleet, host } = await withImage()
    const asked = await request(fleet, 'queue', { 'restart-policy': 'unless-stopped' })
    const process = await fleet.record(...asked, '--start')
    const name = nameOf(process)
    const label = (id: string): string =>
      `docker rm -f ${name}; docker create --name ${name} --label fleet.managed=true --label fleet.process.id=${id} tiny:1 /bin/sleep 1000`
    const breaks = [
      ['process.runtime_missing', `docker rm -f ${name}`],
      ['process.unit_mismatch', `${label(idOf(process))}; docker start ${name}`],
      ['process.state_mismatch', `docker stop -t 1 ${name}`],
      ['process.state_mismatch', 'systemctl stop docker.service docker.socket'],
    ] as const
    for (const [code, line] of breaks) {
      await shell(host, line)
      assert.ok((await codes(fleet)).includes(code), code)
      await fleet.record('node:converge', host.name, '--force')
      assert.deepEqual(await codes(fleet), [], line)
      assert.equal(await stateOf(host, process), 'running')
    }
    await shell(host, label('999'))
    const conflict = await fleet.refused('process:start', idOf(process))
    assert.equal(conflict.code, 'process.container_conflict')
    assert.equal(
      (await fleet.refused('process:destroy', idOf(process), '--yes')).code,
      'process.container_conflict',
    )
    assert.equal(await stateOf(host, process), 'created')
    await shell(host, `docker rm ${name}`)
    await fleet.record('process:destroy', idOf(process), '--yes')
  },
)

test(
  'what real Docker refuses has its code, the identical request resumes, and a container comes back with its Node',
  onHosts,
  async () => {
    const { fleet, host } = await withImage()
    const published = { ports: '127.0.0.1:18081:80', 'restart-policy': 'unless-stopped' }
    const first = await fleet.record(...(await request(fleet, 'first', published)), '--start')
    const second = await request(fleet, 'second', published)
    assert.equal((await fleet.refused(...second, '--start')).code, 'process.port_unavailable')
    const faults = [
      [{ image: 'nowhere.invalid/none:1' }, FOREVER, 'process.image_unavailable'],
      [{ ports: '10.99.99.99:1:1' }, FOREVER, 'process.port_unavailable'],
      [
        { volumes: JSON.stringify([{ source: '/nowhere', target: '/x' }]) },
        FOREVER,
        'process.runtime_failed',
      ],
      [{}, ['/bin/nothing'], 'process.runtime_failed'],
    ] as const
    for (const [index, [options, command, code]] of faults.entries()) {
      const asked = await request(fleet, `fault-${index}`, options, command)
      assert.equal((await fleet.refused(...asked, '--start')).code, code)
    }
    await host.kill()
    await host.revive()
    const back = await waitFor(60, async () =>
      (await stateOf(host, first)) === 'running' ? true : undefined,
    )
    assert.equal(back, true)
    await fleet.record('process:destroy', idOf(first), '--yes')
    assert.equal((await fleet.record(...second, '--start'))['runtime_status'], 'running')
    for (const process of await fleet.records('process:list'))
      await fleet.record('process:destroy', idOf(process), '--yes')
    assert.equal((await host.run(['docker', 'ps', '--all', '--quiet'])).trim(), '')
  },
)
