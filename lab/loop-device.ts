import { program } from './program.ts'

/** The block device of a file, made when it has none. */
export async function ensureDevice(file: string): Promise<string> {
  const [known] = await devices((backing, isLeaving) => backing === file && !isLeaving)
  return known ?? (await program(['losetup', '--find', '--show', file])).trim()
}

/** Another device for the file; the earlier one goes when the last that holds it does. */
export async function replaceDevice(file: string): Promise<string> {
  for (const device of await devices((backing) => backing === file))
    await program(['losetup', '--detach', device])
  return (await program(['losetup', '--find', '--show', file])).trim()
}

/** Gives back the devices of all files below a folder. */
export async function detachBelow(folder: string): Promise<void> {
  for (const device of await devicesBelow(folder)) await program(['losetup', '--detach', device])
}

export const devicesBelow = (folder: string): Promise<readonly string[]> =>
  devices((backing) => backing.startsWith(`${folder}/`))

/** One that is leaving was given back while somebody held it, and goes without a word when that one lets go. */
async function devices(wanted: (backing: string, isLeaving: boolean) => boolean): Promise<readonly string[]> {
  const columns = 'NAME,AUTOCLEAR,BACK-FILE'
  const list = await program(['losetup', '--list', '--noheadings', '--raw', '--output', columns])
  return list
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([name = '', isLeaving, backing = '']) => (wanted(backing, isLeaving === '1') ? [name] : []))
}
