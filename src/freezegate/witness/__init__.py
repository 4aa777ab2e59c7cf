"""Fresh processes that run one test, and what they were seen to do (SPEC sections 3 and 5)."""
