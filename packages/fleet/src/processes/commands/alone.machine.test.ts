import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { eventually, localSession, serviceHost } from '@fleet/testing'
import { type ContainerRequest, installContainer, removeContainer } from '#/processes/commands/containers.ts'

const PLACE = { id: 7, name: 'orbit-process-7-web' }
const REQUEST: ContainerRequest = {
  wanted: 'running',
  container: {
    ...PLACE,
    image: 'caddy:2',
    digest: 'digest',
    restart: 'always',
    options: [],
    command: [],
    variables: new Secret(''),
  },
}

/** The first creation of a container takes until the file `go` is there. */
const SLOW = `
case "$1 $2" in 'container create')
  if mkdir "$FAKE/creating" 2>/dev/null; then until [ -e "$FAKE/go" ]; do sleep 0.01; done; fi ;;
esac
exec "\${0%/*}/docker-itself" "$@"`

test('a script of a request that is gone comes to its end before the identical request changes the containers of the Process', async () => {
  using host = serviceHost()
  host.docker.addImage('caddy:2')
  host.write('fake/docker-itself', host.read('fake/docker') ?? '', 0o755)
  host.install('docker', SLOW)
  host.install('flock', 'echo wants >>"$FAKE/locking"\nPATH=/usr/bin:/bin exec flock "$@"')
  const { FAKE = '' } = host.systemd.env
  const session = localSession(host.pool)
  const gone = session.ask(installContainer, REQUEST)
  await eventually(() => existsSync(`${FAKE}/creating`))
  const identical = session.ask(installContainer, REQUEST)
  await eventually(() => host.read(`${FAKE.slice(host.root.length)}/locking`) === 'wants\nwants\n')
  host.write(`${FAKE.slice(host.root.length)}/go`, '')
  assert.deepEqual(await Promise.all([gone, identical]), [
    { created: true, status: 'running' },
    { created: false, status: 'running' },
  ])
  assert.deepEqual(host.docker.names(), [PLACE.name])
  await session.ask(removeContainer, { ...PLACE, keepsVolumes: false })
  assert.deepEqual([host.docker.names(), readdirSync(host.at('.run'))], [[], []])
})

/** The first removal of a container, and the next creation of one, take until the files `go` and `made` are there. */
const SLOWER = `
case "$1 $2" in
'container rm') until [ -e "$FAKE/go" ]; do sleep 0.01; done ;;
'container create') if [ -e "$FAKE/go" ]; then touch "$FAKE/creating"; until [ -e "$FAKE/made" ]; do sleep 0.01; done; fi ;;
esac
exec "\${0%/*}/docker-itself" "$@"`

test('whoever waited for a removal, which takes the lock of the Process with it, has the lock that the next one asks for', async () => {
  using host = serviceHost()
  host.docker.addImage('caddy:2')
  host.write('fake/docker-itself', host.read('fake/docker') ?? '', 0o755)
  const { FAKE = '' } = host.systemd.env
  const at = (name: string): string => `${FAKE.slice(host.root.length)}/${name}`
  const session = localSession(host.pool)
  await session.ask(installContainer, REQUEST)
  host.install('docker', SLOWER)
  host.install('flock', 'echo wants >>"$FAKE/locking"\nPATH=/usr/bin:/bin exec flock "$@"')
  const removal = session.ask(removeContainer, { ...PLACE, keepsVolumes: false })
  await eventually(() => host.read(at('locking')) === 'wants\n')
  const waiting = session.ask(installContainer, REQUEST)
  await eventually(() => host.read(at('locking')) === 'wants\nwants\n')
  host.write(at('go'), '')
  await removal
  await eventually(() => existsSync(`${FAKE}/creating`))
  assert.deepEqual(readdirSync(host.at('.run')), [String(PLACE.id)])
  host.write(at('made'), '')
  assert.deepEqual(await waiting, { created: true, status: 'running' })
})
