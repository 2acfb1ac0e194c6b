import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RoleName } from '@fleet/contract'
import { fakeCall } from '@fleet/testing'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { type RoleHost, startRoleHost } from './role-host.ts'
import { onHosts } from './site.ts'

/** An unchanged converge on a host of this lab; 3 s is what a person waits for gladly. */
const UNCHANGED_MILLISECONDS = 3000

interface Served {
  readonly role: RoleName
  /** Undoes something of every step, so that a package has to be fetched. */
  readonly damage: string
  /** The same without that; a package is left as a power cut leaves it. */
  readonly trouble: string
  /** Fails unless the role works. */
  readonly works: string
}

const SERVED: readonly Served[] = [
  {
    role: 'database',
    damage: 'systemctl disable --now docker.socket docker.service',
    trouble: `${halfConfigured('docker.io')} && systemctl disable docker.service`,
    works: 'systemctl is-enabled docker.service && docker version --format "{{.Server.Version}}"',
  },
  {
    role: 'app-dev',
    damage: `dpkg --remove --force-depends unzip && systemctl disable --now caddy && rm -rf /home/fleet/apps &&
      chmod 700 /etc/fleet`,
    trouble: `${halfConfigured('unzip')} && systemctl disable --now caddy && rm -rf /home/fleet/apps && chmod 700 /etc/fleet`,
    works: `systemctl is-enabled caddy.service && systemctl is-active caddy.service php*-fpm.service && unzip -v &&
      [ "$(stat -c '%U %a' /home/fleet/apps)" = 'fleet 755' ] && [ "$(stat -c '%U %a' /etc/fleet)" = 'root 711' ]`,
  },
  {
    role: 'app-prod',
    damage: 'systemctl disable --now caddy && chmod 700 /etc/fleet',
    trouble: 'systemctl disable --now caddy && chmod 700 /etc/fleet',
    works: `systemctl is-active caddy.service php*-fpm.service && php -m | grep -qx intl &&
      [ "$(stat -c '%U %a' /etc/fleet)" = 'root 711' ]`,
  },
]

const works = async (host: Host, { works: line }: Served): Promise<void> =>
  void (await host.run(['sh', '-ec', line]))

function halfConfigured(name: string): string {
  const status = 's/^Status: .*/Status: install ok half-configured/'
  return `sed -i '/^Package: ${name}$/,/^$/${status}' /var/lib/dpkg/status`
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

for (const served of SERVED) {
  const { role } = served
  test(
    `${role} is converged on a real host, unchanged in under 3 s, mended, and removed without its packages [NODE-054, ROLE-006, ROLE-007, ROLE-016, ROLE-017]`,
    onHosts,
    async () => {
      await using fleet = await startRoleHost(`role-${role}`, [role])
      await fleet.ensureApt()
      await fleet.add(role)
      await works(fleet.host, served)
      assert.deepEqual(await drift(fleet), [])
      const unchanged = await milliseconds(() => fleet.add(role, true))
      assert.ok(unchanged < UNCHANGED_MILLISECONDS, `unchanged after ${unchanged} ms`)
      await fleet.host.run(['sh', '-ec', served.damage])
      assert.notDeepEqual(await drift(fleet), [])
      await fleet.add(role, true)
      await works(fleet.host, served)
      assert.deepEqual(await drift(fleet), [])
      await fleet.remove(role)
      assert.deepEqual(await fleet.assignments(), [])
      await works(fleet.host, served)
    },
  )
}

/** What breaks a machine in the middle of a step, and what a person does about it. */
const FAULTS: Readonly<
  Record<string, { breaks(host: Host): Promise<unknown>; mends(host: Host): Promise<unknown> }>
> = {
  'power cut': {
    breaks: (host) => host.kill(),
    mends: async (host) => {
      await host.revive()
      await booted(host)
    },
  },
  'cut line': { breaks: (host) => host.cutOff(), mends: (host) => host.restore() },
  'full disk': { breaks: (host) => host.fillDisk(), mends: async (host) => host.freeDisk() },
}

// Those of `database` get their faults in role-faults.
for (const served of SERVED.filter(({ role }) => role !== 'database')) {
  for (const [fault, { breaks, mends }] of Object.entries(FAULTS)) {
    test(
      `${role(served)}: after a ${fault} at any step the identical request makes the role work [ROLE-021, ROLE-026]`,
      onHosts,
      async () => {
        await using fleet = await startRoleHost(`fault-${served.role}-${fault.replace(' ', '-')}`, [
          served.role,
        ])
        const real = fleet.roles.convergence(served.role)
        await fleet.add(served.role)
        for (const at of real.keys()) {
          await fleet.host.run(['sh', '-ec', `${served.trouble}; sync`])
          const broken = real.map((step, number) => ({
            name: step.name,
            run: async (session: Parameters<typeof step.run>[0]) => {
              // The step has begun when its machine breaks, and may be anywhere.
              const [ended] = await Promise.allSettled([
                step.run(session),
                number === at && breaks(fleet.host),
              ])
              if (ended.status === 'rejected') throw ended.reason
            },
          }))
          Object.assign(fleet.roles, { convergence: () => broken })
          const failed = await fleet.add(served.role, true).then(
            () => false,
            () => true,
          )
          const [row = ''] = await fleet.assignments()
          assert.match(row, failed ? / failed converge:[a-z-]+$/ : / active$/, `at ${real[at]?.name}`)
          await mends(fleet.host)
          await fleet.reachable()
          Object.assign(fleet.roles, { convergence: () => real })
          await fleet.add(served.role, true)
          await works(fleet.host, served)
        }
      },
    )
  }
}

function role({ role: name }: Served): string {
  return name
}

/** Codes that the questions of Doctor find. */
async function drift({ checks, store, node, host }: RoleHost): Promise<string[]> {
  const row = await store.db
    .selectFrom('nodes')
    .selectAll()
    .where('id', '=', node.id)
    .executeTakeFirstOrThrow()
  const codes: string[] = []
  for (const check of await checks.checksOf(fakeCall(), { ...row, activeRoles: [] })) {
    if (check.kind !== 'asked') continue
    const { source, args = [], read } = check.question
    const { status, stdout } = await host.attempt([
      'env',
      'LC_ALL=C',
      'sh',
      '-c',
      source,
      'fleet',
      ...args.map(String),
    ])
    const answer = read({ exitCode: status ?? 255, text: stdout.replace(/\n+$/, '') })
    const verdict = answer === undefined ? { unverifiable: 'no answer' } : await check.judge(answer)
    if (verdict) codes.push(check.code)
  }
  return codes
}

async function booted(host: Host): Promise<void> {
  const isUp = await waitFor(60, async () => {
    const { stdout } = await host.attempt(['systemctl', 'is-system-running'])
    return /^(?:running|degraded)/.test(stdout) ? true : undefined
  })
  assert.ok(isUp, 'the host does not come up')
}
