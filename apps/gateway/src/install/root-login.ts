import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { replaceFile } from '@fleet/pki'

const AUTHORIZED = '/root/.ssh/authorized_keys'
const MARK = 'fleet-gateway-installation'

/**
 * Lets the gateway's key log in as root on this machine, as an operator does on every other before it is enrolled. Until this
 * moment at most: an installer that is killed cannot take it away.
 */
export function allowRootLogin(publicKey: string, until: Date, path: string = AUTHORIZED): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const [kind = '', key = ''] = publicKey.split(' ')
  write(path, [...others(path), `expiry-time="${minuteOf(until)}" ${kind} ${key} ${MARK}`])
}

/** Takes the key away again; keys of people stay. */
export function withdrawRootLogin(path: string = AUTHORIZED): void {
  if (existsSync(path) && read(path).some(isOurs)) write(path, others(path))
}

/** Such as `202601020304Z`, as sshd reads it since OpenSSH 9.1. */
const minuteOf = (moment: Date): string => `${moment.toISOString().slice(0, 16).replaceAll(/[-T:]/g, '')}Z`

const isOurs = (line: string): boolean => line.endsWith(` ${MARK}`)
const read = (path: string): readonly string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : []
const others = (path: string): readonly string[] => read(path).filter((line) => !isOurs(line))

function write(path: string, lines: readonly string[]): void {
  const mode = existsSync(path) ? lstatSync(path).mode & 0o777 : 0o600
  replaceFile(path, lines.map((line) => `${line}\n`).join(''), mode)
}
