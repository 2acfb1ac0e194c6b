import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Addresses, releaseNumber } from './addresses.ts'
import { boot } from './boot.ts'
import { moveClock, resetClock } from './clock.ts'
import { removeLock, removeTraces } from './container-traces.ts'
import { ControlGroup } from './control-group.ts'
import { cutPower, fillDisk, freeDisk, makeDisk, mountDisk, syncDisk, unmountDisk } from './disk.ts'
import { findRecord, type HostRecord, writeRecord } from './host-record.ts'
import { attemptInside, LOOKUP_FILES, runInside, wordsBeside } from './inside.ts'
import { adoptHost, exchangeKey, keepHost } from './kept-host.ts'
import {
  type LabKey,
  authorize,
  knownHosts,
  makeHostKey,
  pinnedFingerprint,
  presentFingerprint,
  replaceHostKey,
  returnHostKey,
} from './keys.ts'
import { detachBelow } from './loop-device.ts'
import { isMounted } from './mounts.ts'
import { cutOff, plugIn, restore, unplug } from './network.ts'
import { cableOf, hostPlace, type HostPlace, type Place } from './place.ts'
import { attempt, type Ended, LabFault, type ProgramOptions, type Words } from './program.ts'
import { giveResolvers } from './resolver.ts'
import { noteSpent } from './spent.ts'

/** What all hosts of a lab share. */
export interface Site {
  readonly place: Place
  readonly addresses: Addresses
  readonly key: LabKey
}

/** A Debian machine with its own process 1, disk, network and SSH server. Disposing it removes it. */
export class Host implements AsyncDisposable {
  readonly name: string
  /** Where the machine and the other hosts reach it. */
  readonly address: string
  /** The address that is its own in the tunnel's range; nothing sets it up. */
  readonly tunnelAddress: string
  /** Its file system as this machine sees it, but what it keeps in memory (`/run`, `/tmp`). */
  readonly root: string
  readonly #site: Site
  readonly #place: HostPlace
  readonly #number: number

  constructor(site: Site, { name, number }: HostRecord) {
    this.name = name
    this.address = site.addresses.outside(number)
    this.tunnelAddress = site.addresses.tunnel(number)
    this.#site = site
    this.#place = hostPlace(site.place, name)
    this.root = this.#place.root
    this.#number = number
  }

  get record(): HostRecord {
    const record = findRecord(this.#site.place, this.name)
    if (!record) throw new LabFault(`there is no host ${this.name} any more`)
    return record
  }

  /** `SHA256:…` of the key it was made with. */
  fingerprint(): Promise<string> {
    return pinnedFingerprint(this.#place)
  }

  /** Options of ssh that log in as root with the lab's key and trust the first host key alone. */
  sshOptions(): readonly string[] {
    const settings = [
      'IdentitiesOnly=yes',
      'StrictHostKeyChecking=yes',
      `UserKnownHostsFile=${knownHosts(this.#place)}`,
    ]
    return [
      '-F',
      'none',
      '-i',
      this.#site.key.privateKeyFile,
      ...settings.flatMap((setting) => ['-o', setting]),
    ]
  }

  /** Runs words as root, past network and SSH. Throws LabFault when they fail. */
  run(words: Words, options?: ProgramOptions): Promise<string> {
    return runInside(this.#place, words, options)
  }

  /** The same, and a failure is an answer. */
  attempt(words: Words, options?: ProgramOptions): Promise<Ended> {
    return attemptInside(this.#place, words, options)
  }

  /** Runs a program of this machine as a person at the host has it: in its network, with its resolvers and its `/etc/hosts`. */
  async attemptBeside(words: Words, options?: ProgramOptions): Promise<Ended> {
    const folder = join(this.#place.folder, 'lookup')
    mkdirSync(folder, { recursive: true })
    for (const file of LOOKUP_FILES)
      writeFileSync(join(folder, file), await this.run(['cat', `/etc/${file}`]))
    return attempt(wordsBeside(this.#place, folder, words), options)
  }

  /** Its programs stop where they are; its kernel still answers the network. */
  pause(): Promise<void> {
    return this.#group.freeze()
  }

  resume(): Promise<void> {
    return this.#group.thaw()
  }

  /** Nothing passes in or out any more, and nobody is notified. */
  cutOff(): Promise<void> {
    return cutOff(this.#site.place, this.#number)
  }

  restore(): Promise<void> {
    return restore(this.#site.place, this.#number)
  }

  /** No block of its disk is free any more, for root neither. */
  fillDisk(): Promise<void> {
    return fillDisk(this.#place)
  }

  freeDisk(): void {
    freeDisk(this.#place)
  }

  /** Its wall clock goes wrong by seconds; what that reaches stands in clock.ts. */
  async moveClock(seconds: number): Promise<void> {
    await moveClock(this.#place, seconds)
    writeRecord(this.#site.place, { ...this.record, clockOffsetSeconds: seconds })
  }

  async resetClock(): Promise<void> {
    await resetClock(this.#place)
    writeRecord(this.#site.place, { ...this.record, clockOffsetSeconds: 0 })
  }

  /** Its SSH server has another key from now on, as a foreign machine on its address would. Answers the fingerprint. */
  async swapHostKey(): Promise<string> {
    await replaceHostKey(this.#place)
    await this.run(['systemctl', 'restart', 'ssh'])
    return presentFingerprint(this.#place)
  }

  async restoreHostKey(): Promise<void> {
    returnHostKey(this.#place)
    await this.run(['systemctl', 'restart', 'ssh'])
  }

  /** The power goes: no goodbye on the network, and what was not synchronized to the disk is lost. */
  async kill(): Promise<void> {
    if (this.#group.isPopulated()) {
      await this.cutOff()
      await this.#group.freeze()
      await cutPower(this.#place)
    }
    await this.#halt()
  }

  /** Starts it again on the same disk, addresses and keys; a network set-up of its own is up to its services. */
  async revive(): Promise<void> {
    if (this.#group.isPopulated()) throw new LabFault(`${this.name} is not off`)
    await this.#halt()
    await this.#start()
    const { clockOffsetSeconds } = this.record
    if (clockOffsetSeconds !== 0) await moveClock(this.#place, clockOffsetSeconds)
  }

  isOn(): boolean {
    return this.#group.isPopulated()
  }

  /** Ends it and removes everything it had. */
  async remove(): Promise<void> {
    await this.#halt()
    await detachBelow(this.#place.folder)
    rmSync(this.#place.folder, { recursive: true, force: true })
    releaseNumber(this.#site.place, this.#number)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove()
  }

  /** First boot of a host that has a record, on an empty disk. */
  async install(diskMegabytes: number): Promise<void> {
    await makeDisk(this.#place, diskMegabytes)
    await mountDisk(this.#place, this.record.trees)
    writeFileSync(join(this.root, 'etc/machine-id'), `${randomBytes(16).toString('hex')}\n`)
    this.#writeName()
    giveResolvers(this.root)
    authorize(this.#place, this.#site.key.publicKey)
    await makeHostKey(this.#place, this.address)
    await this.#start()
    // A machine that somebody installed has its keys on the disk when its power goes.
    await syncDisk(this.#place)
  }

  /** First boot of a host that has a record, on a copy of a disk that `keep` has left. */
  async installFrom(path: string): Promise<void> {
    const mount = (): Promise<void> => mountDisk(this.#place, this.record.trees)
    const { labKey } = await adoptHost(this.#place, this.address, path, mount)
    exchangeKey(this.#place, labKey, this.#site.key.publicKey)
    this.#writeName()
    await this.#start()
    await syncDisk(this.#place)
  }

  /** Keeps its disk, so that others may begin with it. It is off for so long. */
  async keep(path: string): Promise<void> {
    await syncDisk(this.#place)
    await this.#halt()
    await keepHost(this.#place, this.#site.key.publicKey, path)
    await this.#start()
  }

  #writeName(): void {
    writeFileSync(join(this.root, 'etc/hostname'), `${this.name}\n`)
    writeFileSync(
      join(this.root, 'etc/hosts'),
      `127.0.0.1 localhost\n127.0.1.1 ${this.name}\n::1 localhost ip6-localhost\n`,
    )
  }

  get #group(): ControlGroup {
    return new ControlGroup(this.#place.id)
  }

  async #start(): Promise<void> {
    const { place, addresses } = this.#site
    await mountDisk(this.#place, this.record.trees)
    await plugIn(place, this.#place, this.#number, addresses)
    await boot(this.#place, this.address)
  }

  async #halt(): Promise<void> {
    await this.#group.kill()
    noteSpent(this.#site.place, this.#group.cpuSeconds())
    this.#group.remove()
    if (isMounted(this.root)) removeLock(this.root)
    removeTraces(this.#place.id)
    await unmountDisk(this.#place)
    await unplug(this.#place.id, cableOf(this.#site.place, this.#number))
  }
}
