// The types of the npm package, for the type checker alone.
export * from "lit-html/directive.js";
