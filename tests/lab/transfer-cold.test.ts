import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchPath } from '@fleet/testing'
import { VENDOR } from './composer-app.ts'
import { onHosts } from './site.ts'
import { startTransferWorld } from './transfer-world.ts'

const DOMAIN = 'page.internal'
const PATH = '/home/fleet/apps/page/first'

test(
  'an Instance that moves while its dependencies are removed gets exactly those of its lock file on the other Node, and runs there [HIB-016]',
  onHosts,
  async () => {
    // Whoever has just been visited stays awake, also where all of this takes long.
    await using world = await startTransferWorld('cold', { idleSeconds: 60 })
    const [{ host: here, id: from }, { host: there, id: to }] = world.members
    const given = { project_id: await world.addPage(DOMAIN), node_id: from, name: 'first', domain: DOMAIN }
    const { id } = (await world.ask('instance:create', given)) as { readonly id: number } // As the contract says.
    const inside = (host: typeof here, line: string): Promise<string> =>
      host.run(['runuser', '-u', 'fleet', '--', 'sh', '-c', `cd ${PATH} && ${line}`])
    await inside(here, 'composer update --no-interaction --quiet')
    const [installed, lock] = [await inside(here, VENDOR), await inside(here, 'cat composer.lock')]
    assert.match(installed, /vendor\/laravel\/framework\/greeting\.php/)
    const { id: process } = (await world.ask('process:create', {
      target_type: 'instance',
      target_id: id,
      name: 'queue',
      runtime: 'systemd',
      command: ['/bin/sleep', '9999'],
      start: true,
    })) as { readonly id: number } // As the contract says.
    const unit = `orbit-process-${process}-queue.service`
    const isActive = async (host: typeof here): Promise<string> =>
      (await host.attempt(['systemctl', 'is-active', unit])).stdout.trim()
    const page = () =>
      fetchPath({
        address: world.edge.host.address,
        port: 443,
        host: DOMAIN,
        path: '/',
        certificate: world.root,
      })

    // It was put to sleep the day before yesterday, and nobody has come since.
    const markers = `/var/lib/caddy/fleet-hibernation/${id}`
    const forgotten = `rm -f /dev/shm/fleet/hibernation/${id}.* /var/lib/caddy/fleet-access/${id}.log`
    await here.run(['systemctl', 'stop', unit])
    await here.run([
      'sh',
      '-c',
      `${forgotten}; : >${markers}.slept && touch -d '2 days ago' ${markers}.slept`,
    ])
    await world.work('hibernation:sweep')
    await here.run(['test', '-e', `${markers}.cold`])
    assert.equal((await here.attempt(['test', '-e', `${PATH}/vendor`])).status, 1)

    const { code } = await world.askWhile('instance:transfer', { instance: id, node_id: to })
    assert.equal(code, undefined)
    assert.equal(await inside(there, 'cat composer.lock'), lock)
    await there.run(['test', '-e', `${markers}.cold`])
    assert.equal((await there.attempt(['test', '-e', `${PATH}/vendor`])).status, 1)
    assert.equal((await here.attempt(['test', '-e', `${markers}.cold`])).status, 1)

    await world.work('hibernation:sweep')
    assert.equal(await inside(there, VENDOR), installed)
    assert.equal((await there.attempt(['test', '-e', `${markers}.cold`])).status, 1)
    assert.deepEqual([await isActive(here), await isActive(there)], ['inactive', 'active'])
    assert.deepEqual(await page(), { status: 200, body: 'welcome' })
  },
)
