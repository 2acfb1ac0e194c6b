import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf, type LeafJudgement } from '@fleet/pki'
import { script } from '@fleet/shell'
import { fakeCall, localSession, serviceHost, testDomains } from '@fleet/testing'
import { judgeLeafFile, leafFile } from '#/certificates/api.ts'
import { makeRouteChecks } from '#/routes/checks/make.ts'
import { create, startWorld } from '#/routes/world.test.ts'

test('the file of the certificate of a custom proxy is looked at too: the web server serves what it loaded until its next start [DOC-002]', async () => {
  await using world = await startWorld()
  using host = serviceHost()
  // Every account is that of the web server: whoever runs the tests cannot give files away.
  host.install('stat', 'shift 3; for file; do printf "600 caddy %s\\n" "$file"; done')
  host.install('getent', 'echo "10.44.0.7 STREAM $2"')
  const authority = await ensureRoot({ directory: host.at('ca'), clock: systemClock, name: 'Fleet root' })
  const { data } = await create(world)
  const file = leafFile(`route-${data.id}`)
  let served: LeafJudgement['verdict'] = 'good'
  const publish = async (domain: string): Promise<void> => {
    const leaf = await issueLeaf(authority, { clock: systemClock, names: [domain], addresses: [] })
    host.write(file, leaf.key.reveal() + leaf.certificate, 0o600)
  }
  const found = async (): Promise<readonly string[]> => {
    const checks = await makeRouteChecks({
      ...world.deps,
      root: host.root,
      certificates: {
        inspectServed: async () => ({ verdict: served }) as LeafJudgement, // Only the verdict is read.
        judgeFile: (files, leaf) =>
          judgeLeafFile(files, leaf, { root: authority.certificate, now: new Date(), folder: host.root }),
      },
      holders: testDomains(world).nodes.holders,
    }).checksOf(fakeCall(), world.node)
    const verdicts: string[] = []
    for (const check of checks) {
      if (check.kind !== 'asked' || check.code !== 'route.certificate_mismatch') continue
      const { source, args = [], read } = check.question
      const session = localSession(host.pool, { node: world.node, call: fakeCall() })
      const { exitCode, stdout } = await session.run(script(source, ...args))
      const answer = read({ exitCode: exitCode ?? 1, text: stdout.toString().trimEnd() })
      assert.ok(answer, stdout.toString())
      const verdict = await check.judge(answer)
      if (verdict && 'expected' in verdict) verdicts.push(`${verdict.expected}, ${verdict.observed}`)
    }
    return verdicts
  }
  await publish(data.domain)
  assert.deepEqual(await found(), [])
  rmSync(host.at(file))
  assert.deepEqual(await found(), ['good, none'])
  await publish('other.internal')
  assert.deepEqual(await found(), ['good, for other names'])
  served = 'expired'
  assert.deepEqual(await found(), ['good, expired'], 'what visitors get comes first, and once')
})
