import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Secret } from '@fleet/kernel'
import { unusable } from '@fleet/node-program'
import { parse } from 'smol-toml'

/** What the gateway wrote for this agent (AGT-018). */
export interface Configuration {
  readonly gatewayUrl: URL
  /** Address that is connected to; the name in the URL is the one of the certificate. */
  readonly gatewayAddress: string
  /** PEM of the fleet's root, the only authority. */
  readonly rootCertificate: string
  readonly secret: Secret
  /** Address that requests come from, where the machine has several Nodes. */
  readonly localAddress?: string
}

/** Throws CannotRun for a file that is missing or malformed (AGT-017). */
export function readConfiguration(home: string): Configuration {
  const secret = read(home, 'secret').trimEnd()
  if (!/^[0-9a-f]{64}$/.test(secret)) throw unusable('the secret of the agent is malformed')
  const rootCertificate = read(home, 'ca.pem')
  if (!rootCertificate.includes('-----BEGIN CERTIFICATE-----'))
    throw unusable('the root certificate of the agent is malformed')
  return { ...readToml(read(home, 'config.toml')), rootCertificate, secret: new Secret(secret) }
}

function readToml(text: string): Pick<Configuration, 'gatewayUrl' | 'gatewayAddress'> {
  const { gateway_url: url, gateway_address: address } = parsed(text)
  if (typeof url !== 'string' || typeof address !== 'string' || !URL.canParse(url) || address === '')
    throw unusable('the configuration of the agent lacks gateway_url or gateway_address')
  const gatewayUrl = new URL(url)
  // The secret would travel in the clear.
  if (gatewayUrl.protocol !== 'https:') throw unusable('gateway_url of the agent is not an https URL')
  return { gatewayUrl, gatewayAddress: address }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text)
  } catch (error) {
    throw unusable('the configuration of the agent is not valid TOML', error)
  }
}

function read(home: string, name: string): string {
  try {
    return readFileSync(join(home, name), 'utf8')
  } catch (error) {
    throw unusable(`the file ${name} of the agent cannot be read`, error)
  }
}
