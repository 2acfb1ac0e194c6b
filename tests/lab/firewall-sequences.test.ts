import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { testSeed } from '@fleet/testing/sample'
import fc from 'fast-check'
import { type FirewallLab, startFirewallLab } from './firewall-world.ts'
import { onHosts } from './site.ts'

const STEPS = 40
const ROLES = ['gateway', 'vpn', 'metrics', 'app-dev'] as const

const name = fc.constantFrom('a', 'b', 'c', 'd')
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('allow' as const, 'deny' as const),
      name,
      port: fc.constantFrom('22', '443', '1:65535', '20:30', '51820', '5432'),
      source: fc.constantFrom('any', '10.0.0.0/8', '10.44.0.0/16', '0.0.0.0/0', '2001:db8::/32', '::/0'),
      protocol: fc.constantFrom('tcp' as const, 'udp' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('apply' as const, 'withdraw' as const),
      role: fc.constantFrom(...ROLES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('bootstrap' as const, 'members' as const, 'open' as const, 'close' as const),
    }),
  },
  // What people do at a machine: their rules stand below those of the fleet from the next operation on.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('by hand' as const),
      words: fc.constantFrom(
        ['deny', '22/tcp'],
        ['deny', 'from', '10.0.0.0/8'],
        ['limit', 'ssh'],
        ['delete', 'deny', '22/tcp'],
        ['reload'],
        ['disable'],
        ['--force', 'enable'],
      ),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function play(lab: FirewallLab, given: Step): Promise<void> {
  const { onNodes } = lab.domain.firewall
  const session = await lab.over('tunnel')
  if ('words' in given) await lab.host.attempt(['ufw', ...given.words])
  else if ('port' in given) await lab.add(given.kind, given)
  else if ('name' in given) await lab.remove(given.name)
  else if ('role' in given)
    await (given.kind === 'apply' ? onNodes.applyRole : onNodes.withdrawRole)(session, given.role)
  else if (given.kind === 'bootstrap') await onNodes.bootstrap(session, 22)
  else if (given.kind === 'members') await onNodes.admitMembers(session)
  else if (given.kind === 'open') await onNodes.openPublicSsh(session)
  else await onNodes.closePublicSsh(session)
}

test(
  `after each of ${STEPS} random operations a new SSH connection over the tunnel is answered [FW-020, FW-036]`,
  onHosts,
  async (context) => {
    await using lab = await startFirewallLab('fw-any')
    const seed = testSeed()
    context.diagnostic(`seed ${seed}`)
    await lab.domain.firewall.onNodes.bootstrap(await lab.over('public'), 22)
    await lab.domain.firewall.onNodes.admitMembers(await lab.over('public'))
    const steps = fc.sample(step, { seed, numRuns: STEPS })
    for (const [at, given] of steps.entries()) {
      await play(lab, given).catch((error: unknown) => {
        if (!(error instanceof CodedError)) throw error
      })
      lab.hangUp()
      const way = (await lab.answers('tunnel')) ? 'answers' : 'is silent'
      assert.equal(way, 'answers', `seed ${seed}: after ${JSON.stringify(steps.slice(0, at + 1))}`)
    }
  },
)
