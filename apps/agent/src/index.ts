export { main } from './main.ts'
export { main as report } from './report.ts'
