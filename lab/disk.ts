import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureDevice, replaceDevice } from './loop-device.ts'
import { isMounted, isShutDown, mountOverlay, unmount } from './mounts.ts'
import type { HostPlace } from './place.ts'
import { attempt, LabFault, program } from './program.ts'
import { waitFor } from './wait.ts'

// EXT4_IOC_SHUTDOWN and its flag that drops what was not written yet (linux/fs/ext4/ext4.h). The number is built alike on x86 and ARM.
const SHUTDOWN = 0x80_04_58_7d
const DROP_UNWRITTEN = 2

const CUT_POWER =
  'open(my $f, "<", $ARGV[0]) or die $!; my $n = pack("L", $ARGV[2]); ioctl($f, $ARGV[1], $n) or die $!'

const MOUNT_SECONDS = 30

const OWN_FOLDERS = ['home', 'opt', 'srv']

const image = ({ folder }: HostPlace): string => join(folder, 'disk.img')
const ballast = ({ disk }: HostPlace): string => join(disk, 'ballast')

/** Makes a host's disk: a real ext4 file system of its own in a sparse file, which costs what is written into it. */
export async function makeDisk(host: HostPlace, megabytes: number): Promise<void> {
  for (const folder of [host.disk, host.root]) mkdirSync(folder, { recursive: true })
  // Without reserved blocks: a disk is as full for root as for everybody else.
  const options = ['-q', '-F', '-m', '0', '-E', 'lazy_itable_init=1,lazy_journal_init=1', '-J', 'size=8']
  await program(['mkfs.ext4', ...options, image(host), `${megabytes}M`])
}

/** Copies the disk of a host that is off into a folder. */
export const copyDisk = (host: HostPlace, folder: string): Promise<unknown> =>
  program(['cp', '--sparse=auto', image(host), join(folder, 'disk.img')])

/** Makes a host's disk from one that was copied. */
export async function adoptDisk(host: HostPlace, folder: string): Promise<void> {
  for (const own of [host.disk, host.root]) mkdirSync(own, { recursive: true })
  await program(['cp', '--sparse=auto', join(folder, 'disk.img'), image(host)])
}

/**
 * Mounts the disk and, on it, the host's root: what it wrote above the trees. Folders of users stand on the disk itself,
 * as on a machine with one file system: an overlay changes its device number at each start and renames differently.
 */
export async function mountDisk(host: HostPlace, trees: readonly string[]): Promise<void> {
  const { disk, root } = host
  if (!isMounted(disk)) await mountAlive(image(host), disk)
  const [upper, work] = [join(disk, 'upper'), join(disk, 'work')]
  for (const folder of [upper, work]) mkdirSync(folder, { recursive: true })
  if (!isMounted(root)) await mountOverlay(trees, { upper, work, root })
  for (const name of OWN_FOLDERS) {
    const [from, to] = [join(disk, 'own', name), join(root, name)]
    mkdirSync(from, { recursive: true })
    if (!isMounted(to)) await program(['mount', '--bind', from, to])
  }
}

/**
 * A disk whose power was cut comes back only when everybody has let go of it, and a host that is starting next to it, in
 * this lab or another, holds all disks of the machine for a moment. From one that holds them longer the disk is taken by
 * a device of its own: it is read as it is there, which replays its journal.
 */
async function mountAlive(file: string, disk: string): Promise<void> {
  const device = await ensureDevice(file)
  const isAlive = await waitFor(MOUNT_SECONDS, async () => {
    await program(['mount', device, disk])
    if (!isShutDown(disk)) return true
    await unmount(disk)
    return undefined
  })
  if (isAlive === undefined) await program(['mount', await replaceDevice(file), disk])
}

/** Unmounts all of it. The device stays, so that its number is the same at the next start. */
export async function unmountDisk({ disk, root }: HostPlace): Promise<void> {
  for (const name of OWN_FOLDERS) await unmount(join(root, name))
  await unmount(root)
  await unmount(disk)
}

/** Writes everything to the disk that still waits in memory. */
export async function syncDisk({ disk }: HostPlace): Promise<void> {
  await program(['sync', '--file-system', disk])
}

/** Takes every free block, so that the next write in the host fails with ENOSPC, for root too. */
export async function fillDisk(host: HostPlace): Promise<void> {
  const { blocks, bsize } = statfsSync(host.disk)
  // More than there is: ext4 hands out all it has before it refuses. Nothing is written, so the machine's disk does not grow.
  await attempt(['fallocate', '--length', String(blocks * bsize), ballast(host)])
  const { bavail } = statfsSync(host.disk)
  if (bavail > 0) throw new LabFault(`the disk of ${host.name} still has ${bavail} blocks free`)
}

/** For good: a power cut that follows at once does not fill it again. */
export function freeDisk(host: HostPlace): void {
  rmSync(ballast(host), { force: true })
  const disk = openSync(host.disk, 'r')
  try {
    fsyncSync(disk)
  } finally {
    closeSync(disk)
  }
}

/** From now on nothing more reaches the disk, and what was not synchronized is lost, as when the power goes. */
export async function cutPower(host: HostPlace): Promise<void> {
  await program(['perl', '-e', CUT_POWER, host.disk, String(SHUTDOWN), String(DROP_UNWRITTEN)])
}

/** Bytes that the host has written and those its disk holds; undefined while it is not mounted. */
export function diskUse(host: HostPlace): { readonly used: number; readonly size: number } | undefined {
  if (!isMounted(host.disk)) return undefined
  const { blocks, bfree, bsize } = statfsSync(host.disk)
  return { used: (blocks - bfree) * bsize, size: blocks * bsize }
}
