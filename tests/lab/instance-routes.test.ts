import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { waitFor } from '../../lab/wait.ts'
import type { Host } from '../../lab/index.ts'
import { FLEET_ROOT, shownBy } from './browser.ts'
import { assertHealthy, resolved, tunnelAddress } from './facts.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { addStore, type Run, runOn } from './production-site.ts'
import { addShop, page } from './shop.ts'
import { onHosts } from './site.ts'
import { startVisits } from './visitors.ts'

const started = shareFleet({
  name: 'irt',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'irt.test'] },
    { name: 'guest', roles: ['app-prod'], words: ['--tld', 'live.test'] },
  ],
})

test(
  'an Instance of a PHP Project is opened from another Node under its domain over a certificate of the fleet, and goes with it [RTE-001, RTE-005, RTE-035, RTX-021, RTX-030, RTX-085, RTX-097, SRC-010]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, guest] = [fleet.node('web'), fleet.node('guest')]
    await addShop(fleet, context, web)
    const began = performance.now()
    const made = await fleet.record('instance:create', 'shop', web.name, 'default')
    context.diagnostic(`created in ${(performance.now() - began).toFixed(0)} ms`)
    assert.deepEqual([made['status'], made['url']], ['active', 'https://shop.irt.test'])
    assert.match(await page(guest, 'shop.irt.test'), /^200 .*PHP 8 for shop\.irt\.test/)
    context.diagnostic(`created and answered in ${(performance.now() - began).toFixed(0)} ms`)
    const shown = await shownBy(guest, 'https://shop.irt.test/', FLEET_ROOT)
    assert.match(shown, /PHP 8 for shop\.irt\.test/, 'a browser shows it')
    const doubted = await shownBy(guest, 'https://shop.irt.test/')
    assert.doesNotMatch(doubted, /PHP 8/, 'one that does not know the fleet refuses it')
    assert.equal(await resolved(guest, 'shop.irt.test'), await tunnelAddress(fleet, web.name))
    assert.match(await page(guest, 'shop.irt.test', '/plain.txt'), /^200 .*plain/)

    const checkout = String(made['checkout_path'])
    assert.match(await web.run(['cat', `${checkout}/.env`]), /^APP_URL=https:\/\/shop\.irt\.test$/m)
    for (const hidden of ['.env', '.git/config', 'composer.json'])
      assert.notEqual(
        (await web.attempt(['runuser', '-u', 'caddy', '--', 'cat', `${checkout}/${hidden}`])).status,
        0,
      )
    for (const path of ['/.env', '/../.env', '/%2e%2e/.env', '/.git/config'])
      assert.doesNotMatch(await page(guest, 'shop.irt.test', path), /APP_NAME|\[core\]/)

    const { instance_id } = await fleet.record('instance:resolve', 'shop.irt.test')
    assert.equal(instance_id, made['id'])
    await fleet.record('env:import', 'shop.irt.test')
    assert.equal((await fleet.record('env:sync', 'shop.irt.test'))['operation'], 'sync')
    assert.match(await web.run(['cat', `${checkout}/.env`]), /APP_URL="?https:\/\/shop\.irt\.test"?/)

    await sleepsAndWakes(fleet, context, String(made['id']))

    const address = await tunnelAddress(fleet, web.name)
    await fleet.record('instance:destroy', 'shop.irt.test', '--yes', '--force')
    assert.match(await page(guest, 'shop.irt.test', '/', address), /^no answer/)
    assert.equal((await web.run(['ls', '/etc/fleet/certificates'])).includes('app-instance-'), false)
    assert.equal((await web.attempt(['sh', '-c', 'ls /run/php | grep orbit-app-instance'])).status, 1)
  },
)

const FILES = "-not -type d -not -path '*/.git/*' -not -path '/etc/caddy/fleet-versions/*'"

/** Names of all files on a host that could be of an Instance; earlier versions of the web server's are kept. */
const names = async (host: Host): Promise<readonly string[]> => {
  const places = '/etc /home /opt /root /srv /usr/local /run/php /run/fleet* /var/lib /var/www'
  return (await host.run(['sh', '-c', `find ${places} ${FILES} 2>/dev/null | sort`])).split('\n')
}

test(
  'an Instance of a dead Node goes offline in seconds with its Route, Process and Schedule, and nothing of it is left once the Node is back and converges [RTE-056, RTE-177]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, guest] = [fleet.node('web'), fleet.node('guest')]
    await addShop(fleet, context, web)
    const before = new Set(await names(web))
    const made = await fleet.record('instance:create', 'shop', web.name, 'lost')
    const domain = new URL(String(made['url'])).hostname
    const of = ['instance', String(made['id'])] as const
    const command = ['--start', '--command=/bin/sleep', '--command=1000'] as const
    await fleet.record('process:create', ...of, 'worker', '--runtime', 'systemd', ...command)
    await fleet.record('schedule:create', ...of, 'nightly', 'daily', 'true')
    assert.match(await page(guest, domain), /^200 /)
    const own = (await names(web)).filter((name) => !before.has(name))
    for (const part of ['/.env', 'app-instance', 'orbit-process', '/etc/fleet/schedules/'])
      assert.ok(
        own.some((name) => name.includes(part)),
        `${part} is looked for where it is`,
      )
    await web.kill()
    const began = performance.now()
    const removal = await fleet.record('instance:destroy', 'shop/lost', '--yes', '--offline', '--force')
    context.diagnostic(`removed in ${(performance.now() - began).toFixed(0)} ms`)
    assert.ok(performance.now() - began < 30_000, 'it does not wait for the machine')
    assert.ok(JSON.stringify(removal['retained_on_nodes']).includes(String(made['checkout_path'])))
    for (const list of ['instance:list', 'route:list', 'process:list', 'schedule:list'])
      assert.deepEqual(await fleet.records(list), [], list)
    await web.revive()
    await waitFor(60, async () =>
      (await fleet.gateway.fleet(['node:converge', web.name])).status === 0 ? true : undefined,
    )
    const stayed = (await names(web)).filter((name) => own.includes(name))
    assert.deepEqual(stayed, [])
    assert.equal((await web.attempt(['ls', '-d', String(made['checkout_path'])])).status, 2)
    assert.equal((await web.run(['cat', '/etc/caddy/Caddyfile'])).includes(domain), false)
    await assertHealthy(fleet)
    await fleet.record('project:destroy', 'shop', '--yes')
  },
)

test(
  'a production Instance with PHP is deployed and rolled back under visitors, none of whom fails; a release that is not healthy is not selected, and PHP has cached the selected one alone; its removal keeps releases, values, database and user [DEPL-014, DEPL-015, DEPL-034, INS-118]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, guest] = [fleet.node('web'), fleet.node('guest')]
    const store = await addStore(fleet, context, web, guest)
    await fleet.record('instance:create', 'store', web.name, 'default')
    const made = await fleet.record(
      'instance:clone',
      'store/default',
      guest.name,
      'live',
      '--preview-name',
      'preview',
    )
    assert.deepEqual([made['status'], made['domain']], ['active', 'preview.live.test'])
    const domain = String(made['domain'])
    const shown = (path?: string): Promise<string> => page(web, domain, path)
    const deploy = (...words: readonly string[]): Promise<Run> =>
      runOn(fleet, 'instance:deploy', 'store/live', '--health-path', '/up', ...words)

    const first = await deploy()
    assert.deepEqual([first.status, first.error, first.printed], [0, null, 'GET /up answered 200\n'])
    assert.deepEqual(first.phases.slice(-4), ['activation', 'php_refresh', 'after_activation', 'cleanup'])
    assert.equal(await shown(), `200 store v1 from ${first.selected}`)

    const end = await startVisits(web, [domain], 'store v', 0.06)
    store.publish('v2')
    const began = performance.now()
    const second = await deploy()
    context.diagnostic(`deployed in ${(performance.now() - began).toFixed(0)} ms`)
    assert.deepEqual([second.status, second.error], [0, null])
    assert.equal(await shown(), `200 store v2 from ${second.selected}`)
    assert.equal(await shown('/cached.php'), `200 cached ${second.selected}`)

    store.publish('sick')
    const sick = await deploy()
    assert.deepEqual(
      [sick.status, sick.error, sick.selected],
      [1, 'deployment.health_failed', second.selected],
    )
    assert.match(sick.printed, /^GET \/up answered 500\nstore sick from \d+-\d+$/)
    assert.equal(await shown(), `200 store v2 from ${second.selected}`)

    const back = performance.now()
    const rollback = await runOn(fleet, 'instance:rollback', 'store/live', first.selected)
    context.diagnostic(`rolled back in ${(performance.now() - back).toFixed(0)} ms`)
    assert.deepEqual([rollback.status, rollback.phases], [0, ['rollback']])
    assert.equal(await shown(), `200 store v1 from ${first.selected}`)
    assert.equal(await shown('/cached.php'), `200 cached ${first.selected}`)
    const { sent, failures } = (await end())[domain] ?? assert.fail('nobody visited')
    context.diagnostic(`${sent} requests`)
    assert.deepEqual(failures, [])
    const kept = `id store-live && cd ~store-live && find . -exec stat -c '%n %F %U %a' {} + | sort && cat .env`
    await guest.run([
      'sh',
      '-c',
      'cd ~store-live && mkdir -p env && echo kept | tee env/kept database.sqlite && chown -R store-live: env database.sqlite',
    ])
    const before = await guest.run(['sh', '-c', kept])
    for (const path of ['./releases', './.env', './env', './env/kept', './database.sqlite'])
      assert.match(before, new RegExp(`^${path.replaceAll('.', '\\.')} `, 'm'))
    await fleet.record('instance:destroy', 'store/live', '--yes')
    assert.equal(await guest.run(['sh', '-c', kept]), before)
    await fleet.record('instance:destroy', 'store/default', '--yes', '--force')
    assert.equal((await guest.attempt(['test', '-e', '/run/php/store-live.sock'])).status, 1)
  },
)

/**
 * As after a start of its Node: no marker, and nothing of the Instance runs. A visitor wakes both of its Processes, and so does
 * a person who starts one of them.
 */
async function sleepsAndWakes(fleet: InstalledFleet, context: TestContext, id: string): Promise<void> {
  const [web, guest] = [fleet.node('web'), fleet.node('guest')]
  const words = ['--runtime', 'systemd', '--start', '--command=/bin/sleep', '--command=600']
  const create = async (name: string): Promise<string> =>
    String((await fleet.record('process:create', 'instance', id, name, ...words))['id'])
  const [queue, mailer] = [await create('queue'), await create('mailer')]
  const units = [`orbit-process-${queue}-queue.service`, `orbit-process-${mailer}-mailer.service`]
  const marker = `/dev/shm/fleet/hibernation/${id}.awake`
  const wakes = async (): Promise<true | undefined> =>
    (await web.attempt(['grep', '-q', `app-instance/${id}$`, '/etc/caddy/Caddyfile'])).status === 0
      ? true
      : undefined
  const sleep = async (): Promise<void> => {
    await web.run(['rm', marker])
    await web.run(['systemctl', 'stop', ...units])
  }
  const isUp = async (): Promise<true | undefined> =>
    (await page(guest, 'shop.irt.test')).startsWith('200 ') ? true : undefined
  assert.equal(await waitFor(20, wakes), true, 'the site follows its first Process')
  assert.match(await page(guest, 'shop.irt.test'), /^200 .*PHP 8/)
  await sleep()
  const began = performance.now()
  assert.match(await page(guest, 'shop.irt.test'), /^401 .*Waking shop\/default/s)
  assert.equal(await waitFor(20, isUp), true)
  context.diagnostic(`awake after ${(performance.now() - began).toFixed(0)} ms`)
  await web.run(['systemctl', 'is-active', ...units])
  await web.run(['test', '-f', marker])

  await sleep()
  await fleet.record('process:start', queue)
  assert.equal(await waitFor(20, isUp), true)
  await web.run(['systemctl', 'is-active', ...units])
}
