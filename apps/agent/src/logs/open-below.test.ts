import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

const NOBODY = 65_534
/** What the unit of the agent leaves of root. */
const powerless = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--clear-groups']
const canDrop =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('setpriv', [...powerless, 'true']).status === 0

/** A home that only lets through, with a log in a checkout. */
function home(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-home-'))
  context.after(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o711)
  mkdirSync(join(folder, 'shop/logs'), { recursive: true })
  writeFileSync(join(folder, 'shop/logs/laravel.log'), 'seen')
  chmodSync(join(folder, 'shop/logs/laravel.log'), 0o644)
  symlinkSync('shop', join(folder, 'linked'))
  chownSync(folder, NOBODY, NOBODY)
  return (checkout: string, path: string): string => {
    const program = `
      const { openBelow } = await import(${JSON.stringify(new URL('open-below.ts', import.meta.url).href)})
      const file = await openBelow(process.argv[1], process.argv[2]).catch(({ code }) => code)
      console.log(typeof file === 'string' ? file : await file.readFile('utf8'))`
    const args = [...powerless, process.execPath, '--input-type=module', '-e', program]
    return spawnSync('setpriv', [...args, join(folder, checkout), join(folder, path)], {
      encoding: 'utf8',
    }).stdout.trim()
  }
}

test(
  'a folder that only lets through is passed, from the root on too, and links are not',
  { skip: !canDrop && 'needs root and setpriv' },
  (context) => {
    const read = home(context)
    assert.equal(read('shop', 'shop/logs/laravel.log'), 'seen')
    assert.equal(read('../..', 'shop/logs/laravel.log'), 'seen')
    assert.equal(read('', 'shop/logs/laravel.log'), 'seen')
    assert.match(read('', 'linked/logs/laravel.log'), /^(ELOOP|ENOTDIR)$/)
  },
)
