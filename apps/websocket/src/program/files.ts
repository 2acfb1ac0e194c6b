import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from '@fleet/kernel'
import { unusable } from '@fleet/node-program'
import * as z from 'zod'
import type { TlsIdentity } from '#/options.ts'

/** What the gateway wrote for this server. */
export interface Configuration {
  readonly address: string
  readonly port: number
  /** File with the private key and the certificate of the server, one after the other. */
  readonly certificate: string
  /** Hosts of pages that may connect. */
  readonly origins: readonly string[]
  readonly app: { readonly id: string; readonly key: string; readonly secret: Secret }
}

const schema = z.strictObject({
  address: z.ipv4(),
  port: z.int().min(1).max(65_535),
  certificate: z.string().startsWith('/'),
  origins: z.array(z.string().min(1)),
  app: z.strictObject({
    id: z.string().min(1),
    key: z.string().min(1),
    secret: z
      .string()
      .min(1)
      .transform((text) => new Secret(text)),
  }),
})

/** Throws CannotRun for a file that is missing or malformed. */
export function readConfiguration(home: string): Configuration {
  const text = read(join(home, 'config.json'), 'the configuration of the server cannot be read')
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw unusable('the configuration of the server is malformed', error)
  }
}

/** Key and certificate that belong together, from one file. Throws CannotRun. */
export function readIdentity(path: string): TlsIdentity {
  const text = read(path, 'the certificate of the server cannot be read')
  const [key = ''] =
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?-----END [A-Z ]*PRIVATE KEY-----\n?/.exec(text) ?? []
  const certificate = text.replace(key, '')
  try {
    if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return { certificate, key }
  } catch (error) {
    throw unusable('the certificate of the server is malformed', error)
  }
  throw unusable('the key of the server is not that of its certificate')
}

function read(path: string, message: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable(message, error)
  }
}
