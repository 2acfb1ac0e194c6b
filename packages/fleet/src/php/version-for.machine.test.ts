import assert from 'node:assert/strict'
import { existsSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { startWorld, type World } from '#/php/world.test.ts'

/** What apt says of two versions, of which one is installed in an older release. */
const OFFERED = `case $1 in
  pkgnames) printf '%s\\n' php8.4-fpm php8.2-fpm php8.2-fpm-dbgsym php-fpm phpunit php9.0-fpm ;;
  policy) printf '%s\\n' 'php8.4-fpm:' '  Installed: (none)' '  Candidate: 8.4.11-1' '  Version table:' '     8.4.11-1 500' \\
    'php8.2-fpm:' '  Installed: 2:8.2.7-1~deb12u1' '  Candidate: 8.2.29-1~deb12u1' 'php9.0-fpm:' '  Installed: (none)' '  Candidate: (none)' ;;
esac`

const ask = async (world: World, directory = '', recorded?: string): Promise<unknown> => {
  try {
    const source = { checkoutPath: world.host.at('srv/shop'), directory, recorded }
    return await world.php.versionFor(world.session, source)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return error.code
  }
}

const manifest = (world: World, constraint: string, directory = ''): void =>
  world.host.write(`srv/shop/${directory}composer.json`, JSON.stringify({ require: { php: constraint } }))

test('the version follows from composer.json and from what the package manager has: the installed release counts [PRJ-026, RTX-116]', async () => {
  await using world = await startWorld()
  world.host.install('apt-cache', OFFERED)
  world.host.write('srv/shop/readme', '')
  assert.equal(await ask(world), null)
  // Of a source that says nothing of PHP nobody asks the package manager, which may take seconds.
  world.host.install('apt-cache', `touch "$FAKE/asked"; ${OFFERED}`)
  assert.equal(await ask(world), null)
  assert.equal(existsSync(world.host.at('asked')), false)
  manifest(world, '>=8.2')
  assert.equal(await ask(world), '8.4')
  manifest(world, '~8.2.7')
  assert.equal(await ask(world), '8.2')
  manifest(world, '~8.2.10')
  assert.equal(await ask(world), 'app-dev.php_version_unsupported')
  manifest(world, '^9.0')
  assert.equal(await ask(world), 'app-dev.php_version_unsupported')
})

test('each application directory has its own requirement, and what was recorded stays as long as it fits [PRJ-026, RTX-117, RTE-141]', async () => {
  await using world = await startWorld()
  world.host.install('apt-cache', OFFERED)
  manifest(world, '^8.4')
  manifest(world, '~8.2.0', 'apps/site/')
  assert.equal(await ask(world, 'apps/site'), '8.2')
  assert.equal(await ask(world, 'apps'), null)
  assert.equal(await ask(world, '', '8.4'), '8.4')
  assert.equal(await ask(world, '', '8.2'), 'app-dev.source_evidence_changed')
})

test('a source that is to move is asked for where it is, and runs with its version where the next Node has that, otherwise with the newest that fits there [INS-095]', async () => {
  await using here = await startWorld()
  await using there = await startWorld()
  here.host.install('apt-cache', ':')
  const source = { session: here.session, checkoutPath: here.host.at('srv/shop'), directory: '' }
  const asked = async (recorded?: string): Promise<unknown> => {
    try {
      return await here.php.versionThere(there.session, { ...source, recorded })
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return [error.code, error.details?.['available']]
    }
  }
  here.host.write('srv/shop/readme', '')
  assert.equal(await asked(), null)
  manifest(here, '>=8.2')
  there.host.install('apt-cache', OFFERED)
  assert.equal(await asked('8.2'), '8.2')
  assert.equal(await asked('8.3'), '8.4')
  manifest(here, '~8.3.0')
  assert.deepEqual(await asked('8.3'), ['app-dev.php_version_unsupported', ['8.4', '8.2']])
  there.host.install('apt-get', 'cp "$FAKE/later" "$FAKE/fake/apt-cache"')
  there.host.write('later', `#!/bin/sh\n${OFFERED}\n`, 0o755)
  there.host.install('apt-cache', ':')
  manifest(here, '^8.2')
  assert.equal(await asked('8.3'), '8.4')
})

test('a manifest behind a link, and one that is no file, are not read', async () => {
  await using world = await startWorld()
  world.host.install('apt-cache', OFFERED)
  manifest(world, '^8.2', 'real/')
  symlinkSync(world.host.at('srv/shop/real'), world.host.at('srv/shop/linked'))
  assert.equal(await ask(world, 'linked'), 'app-dev.source_metadata_unsafe')
  symlinkSync('real/composer.json', world.host.at('srv/shop/composer.json'))
  assert.equal(await ask(world), 'app-dev.source_metadata_unsafe')
  world.host.write('srv/shop/folder/composer.json/x', '')
  assert.equal(await ask(world, 'folder'), 'app-dev.source_metadata_unsafe')
})

test('a Node with empty package lists fetches them once; sources that do not answer, or have no PHP, are a code of their own [RTX-116]', async () => {
  await using world = await startWorld()
  manifest(world, '^8.2')
  world.host.install('apt-get', 'echo "$@" >>"$FAKE/asked"; cp "$FAKE/later" "$FAKE/fake/apt-cache"')
  world.host.write('later', `#!/bin/sh\n${OFFERED}\n`, 0o755)
  assert.equal(await ask(world), '8.4')
  assert.match(world.host.read('asked') ?? '', /^.* update\n$/)
  world.host.install('apt-cache', ':')
  world.host.install('apt-get', 'echo "Err:1 http://deb.example trixie" >&2; exit 100')
  assert.equal(await ask(world), 'app-dev.php_package_source_unavailable')
  world.host.install('apt-get', ':')
  assert.equal(await ask(world), 'app-dev.php_package_source_unavailable')
})

test('production has codes of its own, also for a release that no longer accepts the recorded version [RTX-116]', async () => {
  await using world = await startWorld()
  world.host.install('apt-cache', OFFERED)
  const asked = async (recorded?: string): Promise<unknown> => {
    try {
      const source = { checkoutPath: world.host.at('srv/shop'), directory: '', recorded }
      return await world.php.production.versionFor(world.session, source)
    } catch (error) {
      if (!(error instanceof CodedError)) return error
      // What it is about is the same as in development.
      assert.deepEqual(error.details?.['node'], { id: world.session.node.id, name: world.session.node.name })
      return error.code
    }
  }
  manifest(world, '^8.2')
  assert.deepEqual([await asked(), await asked('8.2')], ['8.4', '8.2'])
  manifest(world, '^8.4')
  assert.equal(await asked('8.2'), 'app-prod.php_version_unsupported')
  manifest(world, '^9.0')
  assert.equal(await asked(), 'app-prod.php_version_unsupported')
  world.host.install('apt-cache', ':')
  world.host.install('apt-get', ':')
  assert.equal(await asked(), 'app-prod.php_package_source_unavailable')
})
