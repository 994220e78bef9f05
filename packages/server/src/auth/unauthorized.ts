import { HttpProblem } from '../app/http-problem.js';

export function unauthorized(detail: string): HttpProblem {
  return new HttpProblem(401, detail, { headers: { 'WWW-Authenticate': 'Bearer' } });
}
