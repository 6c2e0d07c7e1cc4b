mod conformance;
mod contract;
mod generate;
mod naive;
mod properties;
