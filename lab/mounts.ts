import { readFileSync } from 'node:fs'
import { attempt, LabFault, program } from './program.ts'
import { waitFor } from './wait.ts'

const UNMOUNT_SECONDS = 5

export interface OverlayDeps {
  readonly upper: string
  readonly work: string
  readonly root: string
}

/** Mounts the trees one above the other, the first on top, with a layer to write into. */
export async function mountOverlay(
  trees: readonly string[],
  { upper, work, root }: OverlayDeps,
): Promise<void> {
  const options = `lowerdir=${trees.join(':')},upperdir=${upper},workdir=${work}`
  await program(['mount', '-t', 'overlay', '-o', options, 'overlay', root])
}

/** Unmounts what is mounted there, if anything is. Throws LabFault when it stays in use. */
export async function unmount(path: string): Promise<void> {
  if (!isMounted(path)) return
  // The kernel lets go of the last killed process a moment after its end.
  const done = await waitFor(UNMOUNT_SECONDS, async () => {
    const { status } = await attempt(['umount', path])
    return status === 0 ? true : undefined
  })
  if (done === undefined) throw new LabFault(`${path} stays in use and cannot be unmounted`)
}

export const isMounted = (path: string): boolean => mountPoints().includes(path)

/** Mount points below a folder, the innermost first. */
export const mountsBelow = (folder: string): readonly string[] =>
  mountPoints()
    .filter((path) => path.startsWith(`${folder}/`))
    .toReversed()

/** True for a file system that takes nothing any more since its power was cut. */
export const isShutDown = (path: string): boolean =>
  mounts().some(([, , , , point, ...rest]) => point === path && rest.at(-1)?.split(',').includes('shutdown'))

// The fifth field is the mount point; a space in it is written as \040 (proc(5)), and the lab's paths have none.
const mountPoints = (): readonly string[] => mounts().map((fields) => fields[4] ?? '')

const mounts = (): ReadonlyArray<readonly string[]> =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
