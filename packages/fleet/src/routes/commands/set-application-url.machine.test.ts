import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { localPool, localSession, nodeRecord } from '@fleet/testing'
import { applicationUrls } from '#/routes/application-urls.ts'
import type { UrlOutcome } from '#/routes/commands/set-application-url.ts'

interface Checkout extends Disposable {
  write(path: string, text: string, mode?: number): void
  read(path: string): string
  at(path: string): string
  set(directory: string, url: string): Promise<UrlOutcome>
  /** In a release of a production home, beside the checkout. */
  keep(release: string, directory: string, url: string): Promise<UrlOutcome>
}

function checkout(): Checkout {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet url-')))
  const root = join(home, 'shop')
  const at = (path: string): string => join(root, path)
  const session = localSession(localPool({ home }), { node: nodeRecord({ user_home: home }) })
  mkdirSync(root)
  return {
    at,
    write: (path, text, mode = 0o640) => {
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text)
      chmodSync(at(path), mode)
    },
    read: (path) => readFileSync(at(path), 'utf8'),
    set: (directory, url) => applicationUrls.write(session, { checkoutPath: root, directory, url }),
    keep: (release, directory, url) =>
      applicationUrls.write(session, { checkoutPath: at(release), directory, url, home: root }),
    [Symbol.dispose]: () => rmSync(home, { recursive: true }),
  }
}

const NEW = 'https://new.example'

test('the URL is replaced in the file and in the cached configuration, and nothing else [RTX-033]', async () => {
  using shop = checkout()
  shop.write('artisan', '')
  shop.write(
    '.env',
    'APP_KEY=base64:a\nAPP_URL="https://old.example"\nOTHER=https://old.example\nAPP_URL=twice\n',
  )
  const cache = (url: string): string =>
    `<?php return ['url' => '${url}', 'disk' => '${url}/storage', 'other' => 'https://old.example.org', 'a&b' => 1];\n`
  shop.write('bootstrap/cache/config.php', cache('https://old.example'), 0o600)
  assert.equal(await shop.set('', NEW), 'written')
  assert.equal(shop.read('.env'), `APP_KEY=base64:a\nAPP_URL=${NEW}\nOTHER=https://old.example\n`)
  assert.equal(shop.read('bootstrap/cache/config.php'), cache(NEW))
  assert.equal(statSync(shop.at('.env')).mode & 0o777, 0o640)
  assert.equal(statSync(shop.at('bootstrap/cache/config.php')).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(shop.at('.')).toSorted(), ['.env', 'artisan', 'bootstrap'])
  const before = statSync(shop.at('.env')).mtimeMs
  assert.equal(await shop.set('', NEW), 'kept')
  assert.equal(statSync(shop.at('.env')).mtimeMs, before)
})

test('the file for tests follows with the URL that it has of the application, unless Git has it or nobody can say so [ENV-055]', async () => {
  using shop = checkout()
  const git = (...words: readonly string[]) => execFileSync('git', ['-C', shop.at('.'), ...words])
  const OLD = 'https://old.example'
  const set = async (testing: string, directory = ''): Promise<string> => {
    const at = (name: string): string => join(directory, name)
    shop.write(at('artisan'), '')
    shop.write(at('.env'), `APP_URL=${OLD}\n`)
    shop.write(at('.env.testing'), testing, 0o600)
    assert.equal(await shop.set(directory, NEW), 'written')
    assert.equal(statSync(shop.at(at('.env.testing'))).mode & 0o777, 0o600)
    return shop.read(at('.env.testing'))
  }
  const old = `APP_ENV=testing\nAPP_URL="${OLD}"\nDB_DATABASE=shop_test\n`
  const moved = `APP_ENV=testing\nAPP_URL=${NEW}\nDB_DATABASE=shop_test\n`
  assert.equal(await set(old), old)
  git('init', '--quiet')
  assert.equal(await set(old), moved)
  assert.equal(await set(old, 'api'), moved)
  // What does not name the application is somebody's own choice.
  for (const own of ['APP_URL=http://localhost\n', 'APP_ENV=testing\n', `APP_URL=${OLD}/path\n`])
    assert.equal(await set(own), own)
  git('add', '--force', '.env.testing')
  assert.equal(await set(old), old)
})

test('a file without the key gets it; a missing file is made with a key of its own [RTE-146]', async () => {
  using shop = checkout()
  shop.write('apps/admin/artisan', '')
  shop.write('apps/admin/.env.example', 'APP_NAME=admin\nAPP_KEY=\nAPP_URL=http://localhost\n')
  shop.write('plain/artisan', '')
  shop.write('old/artisan', '')
  shop.write('old/.env', 'A=1\n')
  for (const directory of ['apps/admin', 'plain', 'old'])
    assert.equal(await shop.set(directory, NEW), 'written')
  const [admin, plain] = [shop.read('apps/admin/.env'), shop.read('plain/.env')]
  const KEY = /^APP_KEY=base64:([A-Za-z0-9+/]{43}=)$/m
  assert.equal(admin.replace(KEY, 'APP_KEY=?'), `APP_NAME=admin\nAPP_KEY=?\nAPP_URL=${NEW}\n`)
  assert.equal(plain.replace(KEY, 'APP_KEY=?'), `APP_URL=${NEW}\nAPP_KEY=?\n`)
  assert.notEqual(KEY.exec(admin)?.[1], KEY.exec(plain)?.[1])
  assert.equal(statSync(shop.at('plain/.env')).mode & 0o777, 0o600)
  assert.equal(shop.read('old/.env'), `A=1\nAPP_URL=${NEW}\n`)
})

test('the key of a new file is no argument of a program: everybody on the Node reads those', async () => {
  using shop = checkout()
  const real = execFileSync('sh', ['-c', 'command -v awk'], { encoding: 'utf8' }).trim()
  const noted = `#!/bin/sh\nprintf '%s\\n' "$@" >>'${shop.at('words')}'\nexec ${real} "$@"\n`
  shop.write('bin/awk', noted, 0o755)
  shop.write('artisan', '')
  const home = shop.at('.')
  const pool = localPool({ home, env: { PATH: `${shop.at('bin')}:${process.env['PATH'] ?? ''}` } })
  const session = localSession(pool, { node: nodeRecord({ user_home: home }) })
  const place = { checkoutPath: shop.at('.'), directory: '', url: NEW }
  assert.equal(await applicationUrls.write(session, place), 'written')
  const [, key] = /^APP_KEY=base64:(.{43}=)$/m.exec(shop.read('.env')) ?? []
  assert.ok(key)
  assert.match(shop.read('words'), /APP_KEY=/)
  assert.ok(!shop.read('words').includes(key))
})

test('without the console entry of the framework nothing is written [RTE-145, PRJ-025]', async () => {
  using shop = checkout()
  shop.write('site/index.html', '')
  shop.write('linked/real', '')
  symlinkSync('real', shop.at('linked/artisan'))
  for (const directory of ['site', 'linked', 'absent'])
    assert.equal(await shop.set(directory, NEW), 'unsupported')
  assert.deepEqual(readdirSync(shop.at('site')), ['index.html'])
})

test('a file or directory that is a link is refused and stays as it was', async () => {
  using shop = checkout()
  shop.write('artisan', '')
  shop.write('elsewhere', 'APP_URL=https://old.example\n')
  symlinkSync('elsewhere', shop.at('.env'))
  await assert.rejects(shop.set('', NEW), { code: 'route.application_url_failed' })
  assert.equal(shop.read('elsewhere'), 'APP_URL=https://old.example\n')
  shop.write('app/artisan', '')
  symlinkSync('app', shop.at('other'))
  await assert.rejects(shop.set('other', NEW), { code: 'route.application_url_failed' })
})

test('in production the file is kept in the home and the release leads to it, whatever the repository has there [RTE-145, RTE-146, RTE-154]', async () => {
  using shop = checkout()
  for (const release of ['releases/1', 'releases/2'])
    for (const path of ['artisan', 'apps/admin/artisan', 'apps/admin/bootstrap/cache/config.php'])
      shop.write(`${release}/${path}`, "<?php return ['url' => 'https://old.example'];")
  shop.write('releases/1/apps/admin/.env', 'FROM=git\n')
  symlinkSync('releases/1', shop.at('current'))
  assert.equal(await shop.keep('current', 'apps/admin', 'https://old.example'), 'written')
  const kept = shop.at('env/apps/admin/.env')
  assert.equal(readlinkSync(shop.at('releases/1/apps/admin/.env')), kept)
  const KEY = /^APP_KEY=base64:[A-Za-z0-9+/]{43}=$/m
  const first = shop.read('env/apps/admin/.env')
  assert.equal(first.replace(KEY, 'APP_KEY=?'), 'APP_URL=https://old.example\nAPP_KEY=?\n')
  assert.deepEqual([statSync(kept).mode & 0o777, statSync(shop.at('env')).mode & 0o777], [0o600, 0o700])
  // Another release, another domain: the key stays, and a cached configuration belongs to its deployment.
  assert.equal(await shop.keep('releases/2', 'apps/admin', NEW), 'written')
  assert.equal(shop.read('env/apps/admin/.env'), first.replace('old.example', 'new.example'))
  assert.equal(readlinkSync(shop.at('releases/2/apps/admin/.env')), kept)
  assert.match(shop.read('releases/2/apps/admin/bootstrap/cache/config.php'), /old\.example/)
  rmSync(shop.at('releases/2/apps/admin/.env'))
  assert.equal(await shop.keep('releases/2', 'apps/admin', NEW), 'kept')
  assert.equal(readlinkSync(shop.at('releases/2/apps/admin/.env')), kept)
  assert.equal(await shop.keep('current', '', NEW), 'written')
  assert.equal(readlinkSync(shop.at('releases/1/.env')), shop.at('env/.env'))
  assert.deepEqual(readdirSync(shop.at('env')).toSorted(), ['.env', 'apps'])
})

test('a folder of the home that leads elsewhere is refused, and no file is written there', async () => {
  using shop = checkout()
  shop.write('current/apps/admin/artisan', '')
  shop.write('elsewhere/x', '')
  symlinkSync('elsewhere', shop.at('env'))
  await assert.rejects(shop.keep('current', 'apps/admin', NEW), { code: 'route.application_url_failed' })
  assert.deepEqual(readdirSync(shop.at('current/apps/admin')), ['artisan'])
  shop.write('current/plain/index.html', '')
  assert.equal(await shop.keep('current', 'plain', NEW), 'unsupported')
})
