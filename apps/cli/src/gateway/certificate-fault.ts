import { isIP } from 'node:net'

/** What is wrong with a certificate whose root may well be the trusted one, and what helps. */
export interface CertificateFault {
  /** The end of a sentence that begins with the certificate. */
  readonly is: string
  readonly next: string
}

/** A certificate for another name, or not valid at this time, by the TLS error among the causes; undefined for any other. */
export function certificateFault(error: unknown): CertificateFault | undefined {
  if (!(error instanceof Error)) return undefined
  switch ('code' in error ? error.code : undefined) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return ofAnotherName(error)
    case 'CERT_HAS_EXPIRED':
      return { is: 'has expired, by the clock of this machine', next: CLOCKS }
    case 'CERT_NOT_YET_VALID':
      return { is: 'is not valid yet, by the clock of this machine', next: CLOCKS + ROOT_FROM_THE_FUTURE }
    default:
      return certificateFault(error.cause)
  }
}

const CLOCKS = 'Compare the clock of this machine with that of the gateway: date -u'
/** The clock of the gateway was ahead when its root was made: nobody who asks it over TLS would be told by it. */
const ROOT_FROM_THE_FUTURE = '. If both are right, on the gateway: fleet-gateway renew-root'

/** Node puts the name that was asked for and the certificate into the error. */
function ofAnotherName(error: Error): CertificateFault {
  const { host: asked, cert } = fieldsOf(error)
  const host = typeof asked === 'string' ? asked : 'this name'
  const names = fieldsOf(cert)['subjectaltname']
  const others = typeof names === 'string' ? `, but for ${names.replaceAll(/(?:DNS|IP Address):/g, '')}` : ''
  // An address cannot be added: the gateway knows its own.
  const isAddress = isIP(host) !== 0 || host === 'this name'
  const added = isAddress ? '' : `, or add ${host} to FLEET_GATEWAY_NAMES of the gateway`
  return { is: `is not for ${host}${others}`, next: `Use one of its names${added}.` }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
