import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { run, script } from '@fleet/shell'
import { eventually, isRunning, startTestNode, type TestNode } from '@fleet/testing'
import { Client, type ClientChannel, type ConnectConfig } from 'ssh2'
import { generateSshKey } from '#/keys.ts'
import { startNodeServer } from './node-server.ts'

const options = { timeoutMilliseconds: 30_000 }

/** A client of our own, for what the pool never does. Rejects when it may not log in. */
const login = (node: TestNode, config: ConnectConfig = {}): Promise<Client> =>
  new Promise((resolve, reject) => {
    const client = new Client()
    client.once('ready', () => resolve(client))
    client.on('error', reject)
    const { host, port, user } = node.target
    client.connect({ host, port, username: user, privateKey: node.key.privateKey.reveal(), ...config })
  })

const exec = (client: Client, line: string): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    client.exec(line, (error, channel) => (error ? reject(error) : resolve(channel)))
  })

test('commands run in the home with a clean environment', async () => {
  await using node = await startTestNode()
  const { stdout } = await node.pool.run(node.target, script('pwd; env | grep -v "^_=" | sort'), options)
  assert.deepEqual(stdout.toString().trim().split('\n'), [
    node.home,
    `HOME=${node.home}`,
    'LANG=C.UTF-8',
    'LOGNAME=orbit',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    `PWD=${node.home}`,
    'USER=orbit',
  ])
})

test('only the one key and the one user name may log in', async () => {
  await using node = await startTestNode()
  const refused: readonly ConnectConfig[] = [
    { username: 'root' },
    { privateKey: generateSshKey().privateKey.reveal() },
    { authHandler: ['none'] },
    { password: 'x', authHandler: ['password'] },
  ]
  for (const config of refused) await assert.rejects(login(node, config), { level: 'client-authentication' })
  assert.equal(node.server.commands(), 0)
})

test('terminals, shells, file transfer and listening are refused, and commands still run', async () => {
  await using node = await startTestNode()
  const client = await login(node)
  const refusals = await Promise.all([
    new Promise((resolve) => void client.shell((error) => resolve(error))),
    new Promise((resolve) => void client.sftp((error) => resolve(error))),
    new Promise((resolve) => void client.exec('true', { pty: true }, (error) => resolve(error))),
    new Promise((resolve) => void client.forwardIn('127.0.0.1', 0, (error) => resolve(error))),
  ])
  for (const refusal of refusals) assert.ok(refusal instanceof Error)
  assert.equal(node.server.commands(), 0)
  assert.equal((await node.pool.run(node.target, run('true'), options)).exitCode, 0)
  client.end()
})

test('a client that goes away takes its commands with it', async () => {
  await using node = await startTestNode()
  const client = await login(node)
  const line = (name: string): string => `sh -c 'sleep 300 & echo $! >${name}; wait'; true`
  const channel = await exec(client, line('first'))
  await exec(client, line('second'))
  const [first, second] = [Number(await node.lineOf('first')), Number(await node.lineOf('second'))]
  channel.close()
  await eventually(() => !isRunning(first))
  assert.ok(isRunning(second))
  client.destroy()
  await eventually(() => !isRunning(second))
})

test('a signal request reaches the whole group of the command', async () => {
  await using node = await startTestNode()
  const client = await login(node)
  const channel = await exec(client, 'sh -c "sleep 300 & echo \\$! >pid; wait"; true')
  const ended = new Promise(
    (resolve) => void channel.on('exit', (_code: number | null, signal?: string) => resolve(signal)),
  )
  channel.resume()
  const grandchild = Number(await node.lineOf('pid'))
  channel.signal('TERM')
  assert.equal(await ended, 'SIGTERM')
  await eventually(() => !isRunning(grandchild))
  client.end()
})

test('nonsense on the port ends that connection and nothing else', async () => {
  await using node = await startTestNode()
  for (const text of [
    'GET / HTTP/1.1\r\n\r\n',
    'SSH-2.0-x\r\n\0\0\xff\xff broken packet',
    '\0'.repeat(5000),
  ]) {
    const socket = connect(node.target.port, node.target.host)
    socket.on('error', () => undefined)
    socket.end(text)
    await new Promise((resolve) => void socket.resume().once('close', resolve))
  }
  assert.equal((await node.pool.run(node.target, run('true'), options)).exitCode, 0)
})

test('a home that is gone fails the command, not the server', async () => {
  await using node = await startTestNode()
  await node.pool.run(node.target, script('mv "$HOME" "$HOME.away"'), options)
  const result = await node.pool.run(node.target, run('true'), options)
  assert.equal(result.exitCode, 255)
  renameSync(`${node.home}.away`, node.home)
})

test('an address that others can reach is refused', async () => {
  const key = generateSshKey()
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'localhost', '']) {
    const given = {
      host,
      port: 0,
      hostKey: key.privateKey,
      authorizedKey: key.publicKey,
      home: '/tmp',
      user: 'orbit',
    }
    await assert.rejects(startNodeServer(given), /loopback/)
  }
})
