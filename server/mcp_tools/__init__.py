"""The tools of the MCP server: single inputs (`low_level`) and whole tasks (`high_level`)."""
