import type { SshKey, SshTarget } from '@fleet/ssh'
import { Client, type ClientChannel } from 'ssh2'

/** A warm connection with ssh2 alone: the least that a command over SSH can cost from this process. */
export interface RawSsh extends Disposable {
  run(line: string, stdin?: Uint8Array): Promise<Buffer>
}

export async function connectRaw(target: SshTarget, key: SshKey): Promise<RawSsh> {
  const client = new Client()
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve).once('error', reject)
    client.connect({
      host: target.host,
      port: target.port,
      username: target.user,
      privateKey: key.privateKey.reveal(),
      authHandler: ['publickey'],
    })
  })
  client.setNoDelay(true)
  return {
    run: async (line, stdin) => {
      const { promise: output, resolve, reject } = Promise.withResolvers<Promise<Buffer>>()
      client.exec(line, (error, channel) => {
        if (error) return reject(error)
        channel.end(stdin)
        resolve(outputOf(channel))
      })
      return output
    },
    [Symbol.dispose]: () => client.end(),
  }
}

function outputOf(channel: ClientChannel): Promise<Buffer> {
  const chunks: Buffer[] = []
  let code: number | null = null
  channel.on('data', (chunk: Buffer) => chunks.push(chunk))
  channel.stderr.resume()
  channel.on('exit', (exit: number | null) => (code = exit))
  return new Promise((resolve, reject) => {
    channel.once('close', () =>
      code === 0 ? resolve(Buffer.concat(chunks)) : reject(new Error(`the command ended with ${code}`)),
    )
  })
}
