export { releaseExecutables } from './executables.ts'
export * from './manifest.ts'
