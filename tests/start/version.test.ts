import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const MAIN = new URL('../../apps/gateway/src/main.ts', import.meta.url).pathname
const PROCESS = new URL('../../apps/gateway/src/process.ts', import.meta.url).href
/** As the program of a release does, which knows its commit. */
const ofRelease = (commit: string): readonly string[] => [
  '--input-type=module',
  '--eval',
  `import { runProcess } from '${PROCESS}'; await runProcess('${commit}')`,
]

/** The version that a gateway process reports. */
async function versionOf(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-version-'))
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    FLEET_HOME: home,
    FLEET_LISTEN: '127.0.0.1:0',
    ...settings,
  }
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /^ready (\S+)/.exec(line) ?? []
      if (url !== undefined) return await askVersion(url)
    }
    return undefined
  } finally {
    const ended = child.exitCode === null ? once(child, 'close') : undefined
    child.kill('SIGKILL')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
}

async function askVersion(url: string): Promise<unknown> {
  // A process of this test on loopback: its certificate is none of the test's business.
  const asked = request(`${url}/api/v1/gateway/status`, { rejectUnauthorized: false, agent: false }).end()
  const [response] = await once(asked, 'response')
  const { data } = JSON.parse(await new Response(response).text())
  return data.version
}

test('the version is APP_VERSION, else that of the release, else dev [SET-013]', async () => {
  const commit = '0123456789ab'
  assert.equal(await versionOf([MAIN], {}), 'dev')
  assert.equal(await versionOf(ofRelease(commit), {}), commit)
  assert.equal(await versionOf(ofRelease(commit), { APP_VERSION: '7.7.7' }), '7.7.7')
})
