mod messages;
mod simulation;
mod storage;
